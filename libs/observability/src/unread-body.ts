import type { IncomingMessage, ServerResponse } from 'node:http';

/** Up to this size Node reads the rest of the body after the answer, and the connection stays open. */
const MAX_DRAINED_BYTES = 16_384;

/** True for a body that may be large and has not arrived completely. */
export function isUnreadBody({ complete, headers }: IncomingMessage): boolean {
  const isLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_DRAINED_BYTES;
  return isLarge && !complete;
}

/** Closes the connection with an answer that is sent before a large body was read; otherwise Node would read the whole body. */
export function closeWithUnreadBody(request: IncomingMessage, response: ServerResponse): void {
  if (!isUnreadBody(request)) return;
  const writeHead: unknown = response.writeHead.bind(response);
  response.writeHead = (...head: unknown[]) => {
    if (isUnreadBody(request)) response.setHeader('Connection', 'close');
    if (typeof writeHead === 'function') writeHead(...head);
    return response;
  };
}
