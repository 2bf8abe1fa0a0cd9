import type { AuthenticatedCaller, AuthorizedProcess } from '@batuta/auth';
import type { DryRunReply } from '@batuta/contracts';
import { ApiRefusals, refsTo } from '@batuta/openapi';
import { JsonThread, stringifyWithRaw } from '@batuta/json';
import { faultPoint } from '@batuta/observability';
import { Body, Controller, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiHeader, ApiOperation, ApiParam, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Authorize } from '../authorization/authorize';
import { messageWithHint, withHint } from '../common/refusal-hints';
import { CallerOf, ProcessOf } from '../http/request';
import { headerReferences } from '../openapi/headers';
import { PROCESS_ID_PARAMETER } from '../processes/process.dto';
import { fingerprintOf } from './fingerprint';
import { IdempotencyKey } from './idempotency-key';
import { START_BODY_EXAMPLES, StartBody, StartQuery } from './start-body.dto';
import { StartClient, type StartInput } from './start-client';
import {
  DryRunDto,
  IDEMPOTENCY_KEY_HEADER,
  QUEUED_EXAMPLE,
  QueuedDto,
  START_ERRORS,
  STARTED_EXAMPLE,
  StartedDto,
} from './start.dto';

/** The start of a process and its dry run (contract 4.8). */
@ApiTags('Processes')
@ApiExtraModels(StartedDto, DryRunDto)
@Controller('v1/processes')
export class StartController {
  constructor(
    private readonly starts: StartClient,
    private readonly thread: JsonThread,
  ) {}

  @Post(':pid/start')
  @HttpCode(HttpStatus.OK)
  @Authorize({ process: 'path', permission: 'execute', body: true })
  @ApiOperation({
    summary: 'Start a process',
    description: 'Runs the published version. On a shared process it needs the permission `execute`.',
  })
  @ApiParam(PROCESS_ID_PARAMETER)
  @ApiHeader(IDEMPOTENCY_KEY_HEADER)
  @ApiBody({ type: StartBody, required: false, examples: START_BODY_EXAMPLES })
  @ApiResponse({
    status: HttpStatus.OK,
    description: 'Accepted; a connected agent can run the instance. Or, of a dry run, what it found.',
    content: { 'application/json': { schema: { anyOf: refsTo('Started', 'DryRun') }, example: STARTED_EXAMPLE } },
    headers: headerReferences('Idempotency-Mismatch'),
  })
  @ApiResponse({
    status: HttpStatus.ACCEPTED,
    description: 'Accepted; no connected agent can run the instance yet, so it waits in the queue of the environment.',
    type: QueuedDto,
    example: QUEUED_EXAMPLE,
    headers: headerReferences('Idempotency-Mismatch'),
  })
  @ApiRefusals(...START_ERRORS)
  async start(
    @CallerOf() caller: AuthenticatedCaller,
    @ProcessOf() process: AuthorizedProcess,
    @IdempotencyKey() idempotencyKey: string | undefined,
    @Res({ passthrough: true }) response: Response,
    // The query is the last parameter, because Nest validates the last parameter first: a malformed query is refused
    // before a malformed body.
    @Body() body: StartBody,
    @Query() { dryRun }: StartQuery,
  ) {
    const input = toStartInput(caller, process, body, await this.idempotencyOf(caller, process, body, idempotencyKey));
    if (dryRun) {
      response.type('json');
      return stringifyWithRaw(await this.dryRun(input)).json;
    }
    const { instanceID, status, replayed, mismatch } = await withHint(this.starts.start(input), input);
    faultPoint('gateway:after-start');
    response.status(status === 'started' ? HttpStatus.OK : HttpStatus.ACCEPTED);
    if (mismatch) response.setHeader('Idempotency-Mismatch', 'true');
    return { instanceID, status, replayed };
  }

  private async dryRun(input: StartInput): Promise<DryRunReply> {
    const found = await this.starts.dryRun(input);
    const refusals = found.refusals.map((refusal) => ({ ...refusal, message: messageWithHint(refusal, input) }));
    return { ...found, refusals };
  }

  private async idempotencyOf(
    { accountID }: AuthenticatedCaller,
    { processID }: AuthorizedProcess,
    body: StartBody,
    key: string | undefined,
  ): Promise<StartInput['idempotency']> {
    if (key === undefined) return undefined;
    return { scope: `start:${accountID}:${processID}`, key, body: await fingerprintOf(body, this.thread) };
  }
}

function toStartInput(
  { accountID, label }: AuthenticatedCaller,
  { processID, key }: AuthorizedProcess,
  { matrix, environmentID }: StartBody,
  idempotency: StartInput['idempotency'],
): StartInput {
  return {
    processID,
    trigger: { kind: 'api', accountID, userName: label, executor: key.identifier },
    matrix,
    environmentID,
    idempotency,
  };
}
