import { randomUUID } from 'node:crypto';

const WELL_FORMED = /^[\x21-\x7e]{1,64}$/;

/** The caller's own `X-Request-Id` when it is 1 to 64 visible ASCII characters, else a new one. */
export function readRequestID(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}
