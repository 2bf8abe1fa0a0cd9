import { authorizeHook, type Hook } from '@batuta/auth';
import type { HookCall } from '@batuta/contracts';
import { readRawBody } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { IncomingHttpHeaders } from 'node:http';
import { AccessLookups } from '../../authorization/access-lookups';
import { GatewayClock } from '../../common/gateway-clock';
import type { GatewayRequest, ReachedHook } from '../../http/request';

/** The URL may be rotated or switched off while a body arrives: after this long it is authorized again. */
const SLOW_BODY_MS = 500;

/** Reads the body of a call whose URL HookGuard has authorized. */
@Injectable()
export class HookCallReader {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
  ) {}

  /** Returns the call and its URL as of the end of the body. Throws what readRawBody and authorizeHook throw. */
  async read(reached: ReachedHook, request: GatewayRequest): Promise<{ hook: ReachedHook; call: HookCall }> {
    const body = await readRawBody(request);
    const hook = this.clock.now() - reached.calledAt < SLOW_BODY_MS ? reached : await this.authorizeAgain(reached);
    return { hook, call: toHookCall(hook, request, body) };
  }

  private async authorizeAgain(reached: ReachedHook): Promise<ReachedHook> {
    const hook = authorizeHook(await this.lookups.hook(reached.tokenHash), reached.processID);
    return { ...reached, ...hook };
  }
}

/** The webhook service gets body, query and headers undecoded and complete: it checks the signature over them. */
function toHookCall(
  { originID, processID, signed }: Hook,
  { originalUrl, headers }: Pick<Request, 'originalUrl' | 'headers'>,
  body: Buffer,
): HookCall {
  return {
    originID,
    processID,
    body: body.toString('base64'),
    contentType: headers['content-type'],
    query: queryOf(originalUrl),
    headers: joinedHeaders(headers),
    signed,
  };
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function joinedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
