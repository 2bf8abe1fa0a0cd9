import type { AuthorizedProcess, Caller } from '@batuta/auth';
import { faultPoint } from '@batuta/observability';
import { Controller, Headers, HttpCode, HttpStatus, Post, Query, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { CallerGuard } from '../access/caller.guard';
import { Needs, ProcessGuard } from '../access/process.guard';
import { BodyGuard } from '../http/body.guard';
import { CallerOf, JsonOf, ProcessOf } from '../http/request';
import { Endpoint } from '../openapi/endpoint';
import { PROCESS_ID } from '../processes/process.schema';
import { fingerprint } from './fingerprint';
import { readFlag } from '../http/read-flag';
import { readIdempotencyKey, readStartBody } from './start-body';
import {
  IDEMPOTENCY_KEY,
  QUEUED,
  queued,
  startAnswer,
  STARTED,
  START_ERRORS,
  startInput,
  startQuery,
  START_EXAMPLES,
} from './start.schema';
import { StartService, type StartOrder } from './start.service';

/** Contract 4.8. */
@Controller('v1/processes')
export class StartController {
  constructor(private readonly starts: StartService) {}

  @Post(':pid/start')
  @HttpCode(HttpStatus.OK)
  @Needs('execute')
  @UseGuards(CallerGuard, ProcessGuard, BodyGuard)
  @Endpoint({
    tag: 'Processes',
    summary: 'Start a process',
    description: 'Runs the published version. On a shared process it needs the permission `execute`.',
    access: 'process',
    params: { pid: PROCESS_ID },
    query: startQuery,
    headers: [IDEMPOTENCY_KEY],
    body: { schema: startInput, required: false, examples: START_EXAMPLES },
    answers: [
      {
        status: 200,
        description: 'Accepted; the agent is online. Or, of a dry run, what it found.',
        schema: startAnswer,
        example: STARTED,
        headers: ['Idempotency-Mismatch'],
      },
      {
        status: 202,
        description: 'Accepted; the agent is offline, the instance waits in its queue.',
        schema: queued,
        example: QUEUED,
        headers: ['Idempotency-Mismatch'],
      },
    ],
    errors: [...START_ERRORS],
  })
  async start(
    @CallerOf() caller: Caller,
    @ProcessOf() process: AuthorizedProcess,
    @JsonOf() json: Record<string, unknown>,
    @Headers('Idempotency-Key') idempotencyKey: string | undefined,
    @Query('dryRun') dryRun: unknown,
    @Res({ passthrough: true }) response: Response,
  ) {
    if (readFlag('dryRun', dryRun)) return this.starts.dryRun(toOrder(caller, process, json, undefined));
    const { instanceID, status, replayed, mismatch } = await this.starts.start(
      toOrder(caller, process, json, readIdempotencyKey(idempotencyKey)),
    );
    faultPoint('gateway:after-start');
    response.status(status === 'started' ? HttpStatus.OK : HttpStatus.ACCEPTED);
    if (mismatch) response.setHeader('Idempotency-Mismatch', 'true');
    return { instanceID, status, replayed };
  }
}

function toOrder(
  { accountID, label }: Caller,
  { processID, key }: AuthorizedProcess,
  json: Record<string, unknown>,
  idempotencyKey: string | undefined,
): StartOrder {
  const body = readStartBody(json);
  const scope = `start:${accountID}:${processID}`;
  return {
    processID,
    trigger: { kind: 'api', accountID, userName: label, executor: key.identifier },
    ...body,
    idempotency: idempotencyKey === undefined ? undefined : { scope, key: idempotencyKey, body: fingerprint(body) },
  };
}
