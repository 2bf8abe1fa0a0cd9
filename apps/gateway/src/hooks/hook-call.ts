import type { Hook } from '@batuta/auth';
import type { HookCall } from '@batuta/contracts';
import type { Request } from 'express';
import type { IncomingHttpHeaders } from 'node:http';

/** A call as the webhook service gets it: nothing decoded, nothing left out. */
export function toHookCall(
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
    headers: joined(headers),
    signed,
  };
}

function queryOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? '' : url.slice(mark + 1);
}

function joined(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
  );
}
