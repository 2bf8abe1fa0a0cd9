import { randomUUID } from 'node:crypto';

/** The header that carries the id of a request, over HTTP and in messages between services. */
export const REQUEST_ID_HEADER = 'X-Request-Id';

/** The id of a request that came without a usable one. */
export function newRequestID(): string {
  return randomUUID();
}
