import { ApiError } from '@batuta/errors';
import type { Logger } from '@batuta/observability';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NextFunction, Request, Response } from 'express';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { GatewayConfig } from '../config';

/** Limits of the HTTP server against clients that send slowly or not at all. */
export function limitServer(server: Server, config: GatewayConfig, logger: Logger): void {
  server.headersTimeout = config.HEADERS_TIMEOUT_MS;
  server.requestTimeout = config.REQUEST_TIMEOUT_MS;
  server.keepAliveTimeout = config.KEEP_ALIVE_TIMEOUT_MS;
  server.on('clientError', (error, socket) => refuseRequest(error, socket, logger));
}

export function configureExpress(app: NestExpressApplication, config: GatewayConfig): void {
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', config.TRUST_PROXY);
}

const IDLE_MILLISECONDS = 20;

/** Tells clients that keep their connections to open a new one, elsewhere, once the server no longer listens. */
export function lastAnswers(server: Server) {
  return (_: Request, response: Response, next: NextFunction): void => {
    if (!server.listening) response.setHeader('Connection', 'close');
    next();
  };
}

/** Stops listening and waits for the requests under way, at most so many milliseconds. */
export async function closeServer(app: NestExpressApplication, milliseconds: number): Promise<void> {
  const server = app.getHttpServer();
  // A connection that is kept alive becomes idle only with its answer, and the server would wait for it.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MILLISECONDS);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await app.close();
  clearInterval(idle);
  clearTimeout(late);
}

/** What is no HTTP request gets the envelope too, where a socket is left to write to. */
function refuseRequest(error: Error & { code?: string }, socket: Duplex, logger: Logger): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = JSON.stringify(new ApiError('BAD_REQUEST', message).toEnvelope());
  const requestID = randomUUID();
  logger.info({ requestID, status: Number.parseInt(status, 10), code: error.code }, 'request refused by the parser');
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${requestID}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const REFUSALS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};
