import type { AuthorizedProcess, Caller } from '@batuta/auth';
import { faultPoint } from '@batuta/observability';
import { Controller, Headers, HttpStatus, Inject, Post, Res, UseGuards } from '@nestjs/common';
import type { Response } from 'express';
import { CallerGuard } from '../access/caller.guard';
import { Needs, ProcessGuard } from '../access/process.guard';
import { BodyGuard } from '../http/body.guard';
import { CallerOf, JsonOf, ProcessOf } from '../http/request';
import { fingerprint } from './fingerprint';
import { readIdempotencyKey, readStartBody } from './start-body';
import { StartService, type StartOrder } from './start.service';

/** Spec 4.8. */
@Controller('v1/processes')
export class StartController {
  constructor(@Inject(StartService) private readonly starts: StartService) {}

  @Post(':pid/start')
  @Needs('execute')
  @UseGuards(CallerGuard, ProcessGuard, BodyGuard)
  async start(
    @CallerOf() caller: Caller,
    @ProcessOf() process: AuthorizedProcess,
    @JsonOf() json: Record<string, unknown>,
    @Headers('idempotency-key') idempotencyKey: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ) {
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
