import { ApiError } from '@batuta/errors';
import type { Logger } from '@batuta/logging';
import type { INestApplication } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';

const HEADERS_MS = 10_000;
const REQUEST_MS = 30_000;
/** Longer than a load balancer keeps its idle connections, so that it never writes to a closed one. */
const KEEP_ALIVE_MS = 75_000;
const IDLE_MS = 20;

const REFUSALS: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/** Limits against clients that send slowly or not at all; what is no HTTP request gets the error envelope too. */
export function limitServer(
  server: Server,
  logger: Logger,
  { headersMs = HEADERS_MS, requestMs = REQUEST_MS, keepAliveMs = KEEP_ALIVE_MS } = {},
): void {
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.keepAliveTimeout = keepAliveMs;
  server.on('clientError', (error, socket) => refuseRequest(error, socket, logger));
  server.on('checkExpectation', (_request, response) => {
    const body = new ApiError('BAD_REQUEST', 'Expect: only 100-continue is understood').toEnvelope();
    response.writeHead(417, { 'Content-Type': 'application/json; charset=utf-8', 'X-Request-Id': randomUUID() });
    response.end(JSON.stringify(body));
  });
}

/** Stops listening and waits for the requests under way, at most so many milliseconds. */
export async function closeServer(app: INestApplication<Server>, milliseconds: number): Promise<void> {
  const server = app.getHttpServer();
  // A connection that is kept alive becomes idle only with its answer, and the server would wait for it.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_MS);
  const late = setTimeout(() => server.closeAllConnections(), milliseconds);
  await app.close().finally(() => {
    clearInterval(idle);
    clearTimeout(late);
  });
}

function refuseRequest(error: Error & { code?: string }, socket: Duplex, logger: Logger): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const body = JSON.stringify(new ApiError('BAD_REQUEST', message).toEnvelope());
  const requestID = randomUUID();
  logger.info({ requestID, status: Number.parseInt(status, 10), code: error.code }, 'request refused by the parser');
  // Not left to the other side: it may never close its half.
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${requestID}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
