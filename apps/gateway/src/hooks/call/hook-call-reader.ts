import { authorizeHook, type WebhookUrl } from '@batuta/auth';
import type { HookCall } from '@batuta/contracts';
import { SLOW_BODY_MS } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { AccessLookups } from '../../authorization/access-lookups';
import { GatewayClock } from '../../common/gateway-clock';
import { BodyMemory } from '../../http/body-memory';
import type { GatewayRequest, AuthorizedHook } from '../../http/request';

/** Reads the body of a call whose URL HookGuard has authorized. */
@Injectable()
export class HookCallReader {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly clock: GatewayClock,
    private readonly bodies: BodyMemory,
  ) {}

  /**
   * Reads the call, authorizes its URL again if the body was slow, and passes both to `work`. The memory of the body is
   * released when `work` ends. Throws what BodyMemory, authorizeHook and `work` throw.
   */
  async read<Result>(
    hook: AuthorizedHook,
    request: GatewayRequest,
    response: Response,
    work: (hook: AuthorizedHook, call: HookCall) => Promise<Result>,
  ): Promise<Result> {
    const { bytes, reservation } = await this.bodies.readRaw(request, response, hook.companyID);
    try {
      const isSlow = this.clock.now() - hook.accessReadAt >= SLOW_BODY_MS;
      const current = isSlow ? await this.authorizeAgain(hook) : hook;
      return await work(current, toHookCall(current, request, bytes));
    } finally {
      reservation.release();
    }
  }

  private async authorizeAgain(hook: AuthorizedHook): Promise<AuthorizedHook> {
    const current = authorizeHook(await this.lookups.findHook(hook.tokenHash), hook.processID);
    return { ...hook, ...current };
  }
}

/** The webhook service gets the raw query, all headers, and the received bytes of the body, over which it verifies the signature. */
function toHookCall(
  { originID, processID, signed }: WebhookUrl,
  { originalUrl, headers }: Pick<Request, 'originalUrl' | 'headers'>,
  body: Buffer,
): HookCall {
  return {
    originID,
    processID,
    body: body.toString('base64'),
    contentType: headers['content-type'],
    query: queryOf(originalUrl),
    headers: joinHeaders(headers),
    signed,
  };
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function joinHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      decodeHeader(Array.isArray(value) ? value.join(', ') : (value ?? '')),
    ]),
  );
}

/** Node reads the bytes of a header as ISO-8859-1; those that are valid UTF-8 are read as UTF-8, as in a body (interpretation 24). */
function decodeHeader(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
