import { webhook, type Capture, type CaptureSummary, type Preview, type StartReply } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Controller, Delete, Get, Param, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import type { z } from 'zod';
import { Flows } from '../flow/flows';
import { BASE, Endpoint } from '../http/endpoint';
import { done } from '../http/fields';
import { resourceID } from '../http/id.pipe';
import { OriginAccess } from '../origins/origin-access';
import { runAnswer } from '../runs/run.schema';
import { Starts } from '../runs/starts';
import { OfCompany, type CompanyCaller } from '../sessions/caller';
import { captureAnswer, captureList, capturesRemoved, previewAnswer } from './capture.schema';

const tag = 'Webhook captures';
const who = 'company';
const params = ['id'];
const NEEDS_EDIT = 'Needs the permission `edit`.';
const QUEUED = { status: 202, description: 'Queued: the agent is offline and its environment keeps a queue.' };
const NO_START = ['NOT_FOUND', 'CONFLICT', 'INVALID_MATRIX', 'INVALID_ENVIRONMENT', 'ROUTER_ERROR'] as const;

/** What arrived at development URLs, and what can be tried with it. */
@Controller(BASE)
export class CaptureController {
  constructor(
    private readonly rpc: Rpc,
    private readonly origins: OriginAccess,
    private readonly flows: Flows,
    private readonly starts: Starts,
  ) {}

  @Get('origins/:id/captures')
  @Endpoint({
    tag,
    summary: 'The captures of a webhook origin, newest first',
    description: `The 10 most recent ones are kept. ${NEEDS_EDIT}`,
    who,
    params,
    answer: captureList,
    errors: ['NOT_FOUND'],
  })
  async list(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
  ): Promise<{ captures: CaptureSummary[] }> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.captures, { id });
  }

  @Delete('origins/:id/captures')
  @Endpoint({
    tag,
    summary: 'Delete the captures of a webhook origin',
    description: `Its mapping stays. ${NEEDS_EDIT}`,
    who,
    params,
    answer: capturesRemoved,
    errors: ['NOT_FOUND'],
  })
  async removeAll(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) id: string,
  ): Promise<z.infer<typeof capturesRemoved>> {
    await this.origins.require(accountID, id);
    return this.rpc.call(webhook.removeCaptures, { id });
  }

  @Get('captures/:id')
  @Endpoint({
    tag,
    summary: 'A capture and its payload',
    description: NEEDS_EDIT,
    who,
    params,
    answer: captureAnswer,
    errors: ['NOT_FOUND'],
  })
  async read(@OfCompany() { accountID }: CompanyCaller, @Param('id', resourceID) captureID: string): Promise<Capture> {
    await this.origins.requireCapture(accountID, captureID);
    return this.rpc.call(webhook.findCapture, { captureID });
  }

  @Delete('captures/:id')
  @Endpoint({
    tag,
    summary: 'Delete a capture',
    description: `The mapping of its origin stays. ${NEEDS_EDIT}`,
    who,
    params,
    answer: done,
    errors: ['NOT_FOUND'],
  })
  async remove(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) captureID: string,
  ): Promise<z.infer<typeof done>> {
    await this.origins.requireCapture(accountID, captureID);
    return this.rpc.call(webhook.removeCapture, { captureID });
  }

  @Get('captures/:id/preview')
  @Endpoint({
    tag,
    summary: 'What the draft and the published mapping make of a capture, value by value',
    description: `Starts nothing. ${NEEDS_EDIT}`,
    who,
    params,
    answer: previewAnswer,
    errors: ['NOT_FOUND', 'CONFLICT'],
  })
  async preview(
    @OfCompany() { accountID }: CompanyCaller,
    @Param('id', resourceID) captureID: string,
  ): Promise<Preview> {
    await this.origins.requireCapture(accountID, captureID);
    return this.rpc.call(webhook.preview, { captureID });
  }

  @Post('captures/:id/debug')
  @Endpoint({
    tag,
    summary: 'Run the development version with the values of a capture',
    description: `By the unsaved mapping, or the saved one when nothing is unsaved, and without Secreto values. Costs nothing. Refused while the flow has problems. ${NEEDS_EDIT}`,
    who,
    params,
    answer: runAnswer,
    also: QUEUED,
    errors: [...NO_START, 'BAD_REQUEST', 'AGENT_OFFLINE'],
  })
  async debug(
    @OfCompany() { accountID, name, email }: CompanyCaller,
    @Param('id', resourceID) captureID: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    const { processID } = await this.origins.requireCapture(accountID, captureID);
    await this.flows.requireSound(processID);
    const by = { accountID, userName: name, executor: email };
    return this.starts.start(response, (minted, patience) =>
      this.rpc.call(webhook.debug, { captureID, by, ...minted }, patience),
    );
  }

  @Post('captures/:id/replay')
  @Endpoint({
    tag,
    summary: 'Start the published version with the values of a capture',
    description:
      'By the published mapping, as a call of the production URL would; costs a credit. What was hidden in the capture is not sent. Needs the permission `execute`.',
    who,
    params,
    answer: runAnswer,
    also: QUEUED,
    errors: [...NO_START, 'INSUFFICIENT_CREDITS', 'PROCESS_NOT_PUBLISHED', 'AGENT_OFFLINE'],
  })
  async replay(
    @OfCompany() { accountID, name, email }: CompanyCaller,
    @Param('id', resourceID) captureID: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartReply> {
    await this.origins.requireCapture(accountID, captureID, 'execute');
    const by = { accountID, userName: name, executor: email };
    return this.starts.start(response, (minted, patience) =>
      this.rpc.call(webhook.replay, { captureID, by, ...minted }, patience),
    );
  }
}
