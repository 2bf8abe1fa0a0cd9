import type { Response } from 'express';
import type { IncomingMessage } from 'node:http';

/** The time in which a refused client reads its answer, before its connection is closed. */
const MAX_LINGER_MS = 1_000;
/**
 * Answers a request whose body nobody will read. The rest of the body stays in the network: the client gets the answer while
 * it still sends, and the connection closes when the client does so, after MAX_LINGER_MS at the latest.
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
    // With this header Node closes the connection at the end of the answer.
    response.end();
  };
  const timer = setTimeout(close, MAX_LINGER_MS);
  request.once('close', close);
}
