import type { NestExpressApplication } from '@nestjs/platform-express';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const latestResponses = new WeakMap<Socket, ServerResponse>();

/**
 * Middleware: handles the requests of one connection one after the other. Node itself begins all requests that a client has sent before it
 * got its first answer, so that one connection could have any number of requests in progress.
 */
export function awaitPreviousAnswer({ socket }: IncomingMessage, response: ServerResponse, next: () => void): void {
  const previous = latestResponses.get(socket);
  latestResponses.set(socket, response);
  // An idle connection must not keep its last request with the parsed body in memory.
  response.once('close', () => {
    if (latestResponses.get(socket) === response) latestResponses.delete(socket);
  });
  if (!previous || previous.closed) return next();
  previous.once('close', () => {
    // An answer with `Connection: close`, or a refusal by the HTTP parser, has ended the connection: the request could get no answer.
    if (socket.writable) next();
  });
}

/**
 * Lets the requests behind a refused expectation wait for this answer, which no middleware sees. It ends the connection, so they are not carried
 * out. Call it before `limitServer`, which answers.
 */
export function awaitRefusedExpectations(app: Pick<NestExpressApplication, 'getHttpServer'>): void {
  const server: Server = app.getHttpServer();
  server.on('checkExpectation', (request, response) => awaitPreviousAnswer(request, response, () => {}));
}
