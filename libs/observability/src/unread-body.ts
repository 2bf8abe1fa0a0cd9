import type { IncomingMessage, ServerResponse } from 'node:http';

/** Maximum size of a body whose rest Node reads after the answer, so that the connection stays open. */
const MAX_DRAINED_BYTES = 16_384;
/** How long a refused client has to read its answer before its connection is closed. */
const MAX_LINGER_MS = 1_000;

/** True for a body that may be large and has not arrived completely. */
export function isUnreadBody({ complete, headers }: IncomingMessage): boolean {
  const isLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_DRAINED_BYTES;
  return isLarge && !complete;
}

/** Closes the connection with an answer that is sent before a large body was read; otherwise Node would read the whole body. */
export function closeAfterEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (!isUnreadBody(request)) return;
  const writeHead: unknown = response.writeHead.bind(response);
  response.writeHead = (...head: unknown[]) => {
    if (isUnreadBody(request)) response.setHeader('Connection', 'close');
    if (typeof writeHead === 'function') writeHead(...head);
    return response;
  };
}

/**
 * Answers a request without reading the rest of its body. The client gets the answer while it still sends, and the connection closes when
 * the client closes it, or after MAX_LINGER_MS. The caller has set the status.
 */
export function answerUnread(request: IncomingMessage, response: ServerResponse, answer: object): void {
  const bytes = Buffer.from(JSON.stringify(answer));
  response.setHeader('Connection', 'close');
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', bytes.length);
  response.write(bytes);
  const close = () => {
    clearTimeout(timer);
    request.off('close', close);
    // With this header Node closes the connection at the end of the answer.
    response.end();
  };
  const timer = setTimeout(close, MAX_LINGER_MS);
  request.once('close', close);
}
