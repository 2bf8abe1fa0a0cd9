import type { IncomingMessage, ServerResponse } from 'node:http';

/** Node reads the rest of such a body after the answer, and the connection stays open. */
const MAX_DRAINED_BYTES = 16_384;

/** The body may be large, and its end has not arrived. */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  const isLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_DRAINED_BYTES;
  return isLarge && !complete;
}

/** Lets an answer that is sent before a large body was read close the connection: Node would read and drop the rest. */
export function closeUnread(request: IncomingMessage, response: ServerResponse): void {
  if (!isUnread(request)) return;
  const writeHead: unknown = response.writeHead.bind(response);
  response.writeHead = (...head: unknown[]) => {
    if (isUnread(request)) response.setHeader('Connection', 'close');
    if (typeof writeHead === 'function') writeHead(...head);
    return response;
  };
}
