import { webhook, type Capture, type CaptureSummary, type Preview, type StartReply } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Body, Controller, Delete, Get, Param, Post, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { FlowService } from '../flows/flow.service';
import { BASE_PATH, Endpoint } from '../sessions/endpoint';
import { Done } from '../http/response-fields';
import { CapturePath, OriginPath } from '../http/path.dto';
import { OriginAccessService } from '../origins/origin-access.service';
import { RunAnswer } from '../runs/run.dto';
import { RunService } from '../runs/run.service';
import { CompanyCallerOf, toCaller, toStarter, type CompanyCaller } from '../sessions/caller';
import { CaptureAnswer, CaptureDebugInput, CaptureList, CapturePreview, CapturesRemoved } from './capture.dto';

const audience = 'company';
const NEEDS_EDIT = 'Needs the permission `edit`.';
const QUEUED_RESPONSE = {
  status: 202,
  description: 'Queued: no connected agent can run it yet, and its environment keeps a queue.',
};
const START_ERRORS = ['NOT_FOUND', 'CONFLICT', 'INVALID_MATRIX', 'INVALID_ENVIRONMENT', 'ROUTER_ERROR'] as const;

/** The routes of captures of development URLs: read, delete, preview, run in debug mode, replay. */
@ApiTags('Webhook captures')
@Controller(BASE_PATH)
export class CaptureController {
  constructor(
    private readonly rpc: Rpc,
    private readonly origins: OriginAccessService,
    private readonly flows: FlowService,
    private readonly runs: RunService,
  ) {}

  @Get('origins/:id/captures')
  @Endpoint({
    summary: 'The captures of a webhook origin, newest first',
    description: `The 10 most recent ones are kept. ${NEEDS_EDIT}`,
    audience,
    answer: CaptureList,
    errors: ['NOT_FOUND'],
  })
  async list(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { id }: OriginPath,
  ): Promise<{ captures: CaptureSummary[] }> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.captures, { id });
  }

  @Delete('origins/:id/captures')
  @Endpoint({
    summary: 'Delete the captures of a webhook origin',
    description: `Its mapping stays. ${NEEDS_EDIT}`,
    audience,
    answer: CapturesRemoved,
    errors: ['NOT_FOUND'],
  })
  async removeAll(@CompanyCallerOf() caller: CompanyCaller, @Param() { id }: OriginPath): Promise<CapturesRemoved> {
    await this.origins.require(caller.accountID, id);
    return this.rpc.call(webhook.removeCaptures, { id, ...toCaller(caller) });
  }

  @Get('captures/:id')
  @Endpoint({
    summary: 'A capture and its payload',
    description: NEEDS_EDIT,
    audience,
    answer: CaptureAnswer,
    errors: ['NOT_FOUND'],
  })
  async read(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { id: captureID }: CapturePath,
  ): Promise<Capture> {
    await this.origins.requireCapture(accountID, captureID);
    return this.rpc.call(webhook.findCapture, { captureID });
  }

  @Delete('captures/:id')
  @Endpoint({
    summary: 'Delete a capture',
    description: `The mapping of its origin stays. ${NEEDS_EDIT}`,
    audience,
    answer: Done,
    errors: ['NOT_FOUND'],
  })
  async remove(@CompanyCallerOf() caller: CompanyCaller, @Param() { id: captureID }: CapturePath): Promise<Done> {
    await this.origins.requireCapture(caller.accountID, captureID);
    return this.rpc.call(webhook.removeCapture, { captureID, ...toCaller(caller) });
  }

  @Get('captures/:id/preview')
  @Endpoint({
    summary: 'What the draft and the published mapping make of a capture, value by value',
    description: `Starts nothing. ${NEEDS_EDIT}`,
    audience,
    answer: CapturePreview,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async preview(
    @CompanyCallerOf() { accountID }: CompanyCaller,
    @Param() { id: captureID }: CapturePath,
  ): Promise<Preview> {
    await this.origins.requireCapture(accountID, captureID);
    return this.rpc.call(webhook.preview, { captureID });
  }

  @Post('captures/:id/debug')
  @ApiBody({ type: CaptureDebugInput, required: false })
  @Endpoint({
    summary: 'Run the development version with the values of a capture',
    description: `By the unsaved mapping, or the saved one when nothing is unsaved, and without Secreto values. Costs nothing. Refused while the flow has problems. ${NEEDS_EDIT}`,
    audience,
    answer: RunAnswer,
    also: QUEUED_RESPONSE,
    errors: [...START_ERRORS, 'BAD_REQUEST', 'AGENT_OFFLINE'],
  })
  async debug(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id: captureID }: CapturePath,
    @Body() { environmentID }: CaptureDebugInput,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    const { processID } = await this.origins.requireCapture(caller.accountID, captureID);
    await this.flows.requireRunnableDraft(processID);
    const by = toStarter(caller);
    return this.runs.start(response, (identity, options) =>
      this.rpc.call(webhook.debug, { captureID, by, environmentID, ...identity }, options),
    );
  }

  @Post('captures/:id/replay')
  @Endpoint({
    summary: 'Start the published version with the values of a capture',
    description:
      'By the published mapping, as a call of the production URL would; costs a credit. What was hidden in the capture is not sent. Needs the permission `execute`.',
    audience,
    answer: RunAnswer,
    also: QUEUED_RESPONSE,
    errors: [...START_ERRORS, 'INSUFFICIENT_CREDITS', 'PROCESS_NOT_PUBLISHED', 'AGENT_OFFLINE'],
  })
  async replay(
    @CompanyCallerOf() caller: CompanyCaller,
    @Param() { id: captureID }: CapturePath,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    await this.origins.requireCapture(caller.accountID, captureID, 'execute');
    const by = toStarter(caller);
    return this.runs.start(response, (identity, options) =>
      this.rpc.call(webhook.replay, { captureID, by, ...identity }, options),
    );
  }
}
