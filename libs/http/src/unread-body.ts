import type { NextFunction, Request, Response } from 'express';
import type { IncomingMessage } from 'node:http';

/** The time in which a refused client reads its answer, before its connection is closed. */
const LINGER_MS = 1_000;
/** Node reads the rest of such a body after the answer, and the connection stays open. */
const MAX_DRAINED_BYTES = 16_384;

/** The body may be large, and its end has not arrived. */
export function isUnread({ complete, headers }: IncomingMessage): boolean {
  const isLarge = headers['transfer-encoding'] !== undefined || Number(headers['content-length']) > MAX_DRAINED_BYTES;
  return isLarge && !complete;
}

/**
 * Answers a request whose body nobody will read. The rest of the body stays in the network: the client gets the answer while
 * it still sends, and the connection closes when the client does so, after LINGER_MS at the latest.
 */
export function answerUnread(request: IncomingMessage, response: Response, answer: object): void {
  const bytes = Buffer.from(JSON.stringify(answer));
  response.set({
    Connection: 'close',
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(bytes.length),
  });
  response.write(bytes);
  const close = () => {
    clearTimeout(timer);
    request.off('close', close);
    // Node closes the connection with the end of the answer.
    response.end();
  };
  const timer = setTimeout(close, LINGER_MS);
  request.once('close', close);
}

/** Middleware: an answer that is sent before a large body was read closes the connection, as `answerUnread` does for refusals. */
export function closeUnread(request: Request, response: Response, next: NextFunction): void {
  if (isUnread(request)) {
    const writeHead: unknown = response.writeHead.bind(response);
    response.writeHead = (...head: unknown[]) => {
      if (isUnread(request)) response.setHeader('Connection', 'close');
      if (typeof writeHead === 'function') writeHead(...head);
      return response;
    };
  }
  next();
}
