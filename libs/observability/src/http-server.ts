import { ApiError } from '@batuta/errors';
import { newRequestID, REQUEST_ID_HEADER, type Logger } from '@batuta/logging';
import type { INestApplication } from '@nestjs/common';
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { OpenResponses } from './open-responses';
import { closeAfterEarlyAnswer } from './unread-body';

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
/** Longer than a load balancer keeps its idle connections, so that the load balancer never writes to a closed connection. */
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/**
 * How much longer a connection is kept than announced. Clients stop using it at the announced time by a timer, which is late when their event loop
 * is busy; Node's own second is too short for that.
 */
const KEEP_ALIVE_BUFFER_MS = 15_000;
/** The time for requests in flight when a service stops that answers only health and metrics over HTTP, besides the connections of agents. */
const HEALTH_GRACE_MS = 2_500;
const IDLE_CHECK_INTERVAL_MS = 20;
/** The scheme and host of a request target in absolute form (RFC 9112, section 3.2.2). */
const TARGET_HOST = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*\/?/i;
/** How long bytes may wait in memory to be sent because the client does not read. */
const MAX_UNREAD_MS = 30_000;
/** Interval at which Node compares connections with the time limits; its default is 30 seconds. */
const TIME_LIMIT_CHECK_MS = 1_000;

const REFUSAL_OF_ERROR: Record<string, [status: string, message: string]> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time.'],
};

/**
 * Sets time limits against clients that send slowly or do not read, closes a connection when its answer is sent before a large body was read, and
 * answers malformed HTTP and CONNECT with the error envelope (contract 7). Call it before the server listens.
 */
export function limitServer(
  server: Server,
  logger: Logger,
  {
    headersMs = HEADERS_TIMEOUT_MS,
    requestMs = REQUEST_TIMEOUT_MS,
    keepAliveMs = KEEP_ALIVE_TIMEOUT_MS,
    keepAliveBufferMs = KEEP_ALIVE_BUFFER_MS,
    unreadMs = MAX_UNREAD_MS,
  } = {},
): void {
  server.headersTimeout = headersMs;
  server.requestTimeout = requestMs;
  server.keepAliveTimeout = keepAliveMs;
  server.keepAliveTimeoutBuffer = keepAliveBufferMs;
  // After this time without a byte in either direction, or after the keep-alive time between two requests, Node emits `timeout`.
  server.timeout = unreadMs;
  const openResponses = new OpenResponses(server);
  closeAtTimeout(server, openResponses);
  // Node's types lack this option.
  const checkMs = Number(Reflect.get(server, 'connectionsCheckingInterval'));
  Reflect.set(server, 'connectionsCheckingInterval', Math.min(checkMs, TIME_LIMIT_CHECK_MS));
  server.prependListener('request', closeAfterEarlyAnswer);
  server.prependListener('request', removeHostOfTarget);
  refuseMalformedRequests(server, openResponses, logger);
  refuseTunnels(server, openResponses, logger);
  upgradeOnlyToWebSockets(server, openResponses);
  server.on('checkExpectation', (_request, response) => {
    const body = new ApiError('BAD_REQUEST', 'Expect: only 100-continue is understood').toEnvelope();
    response.writeHead(417, {
      'Content-Type': 'application/json; charset=utf-8',
      [REQUEST_ID_HEADER]: newRequestID(),
      // The client sends no body, so the server would wait for it.
      Connection: 'close',
    });
    response.end(JSON.stringify(body));
  });
}

/**
 * Reduces a request target with a scheme and a host to its path and query. Express would parse the host, and answer one that it cannot parse
 * without any middleware, log line or error envelope.
 */
function removeHostOfTarget(request: IncomingMessage): void {
  request.url = request.url?.replace(TARGET_HOST, '/');
}

/**
 * At the timeout, closes a connection with unsent bytes, and one between two requests. A connection that only waits, for example for the
 * answer of a process, stays open.
 */
function closeAtTimeout(server: Server, openResponses: OpenResponses): void {
  // Because of this listener Node does not close the connection itself.
  server.on('timeout', (socket) => {
    if (openResponses.of(socket).length === 0) void closeUnlessAsked(socket);
    else if (socket.writableLength > 0) socket.destroy();
  });
}

/**
 * Closes a connection at the end of its keep-alive time, unless its next request has arrived. Node runs timers before it reads, so after a
 * long turn of the event loop it would close connections whose next request is still in the buffer of the operating system.
 */
async function closeUnlessAsked(socket: Socket): Promise<void> {
  const { bytesRead } = socket;
  await untilArrivedBytesAreRead();
  if (socket.bytesRead === bytesRead) socket.destroy();
}

/**
 * Closes the application. Once its server no longer listens, it waits up to `graceMs` for requests in flight, and then closes their connections.
 * Node checks no time limits of requests any more then, so a request that never ends would keep a service from stopping.
 */
export async function closeServer(
  app: Pick<INestApplication<Server>, 'close' | 'getHttpServer'>,
  graceMs = HEALTH_GRACE_MS,
): Promise<void> {
  const server = app.getHttpServer();
  await untilArrivedBytesAreRead();
  let deadline: NodeJS.Timeout | undefined;
  // A kept-alive connection becomes idle after its answer, and `close` would wait until the client closes it.
  const idle = setInterval(() => {
    // The modules end their work first, and the server listens until then.
    if (!server.listening) deadline ??= setTimeout(() => server.closeAllConnections(), graceMs);
    void untilArrivedBytesAreRead().then(() => server.closeIdleConnections());
  }, IDLE_CHECK_INTERVAL_MS);
  await app.close().finally(() => {
    clearInterval(idle);
    clearTimeout(deadline);
  });
}

/**
 * Resolves after Node has read all bytes that have arrived on its connections, so that a connection whose next request is still in the
 * buffer of the operating system is not closed as idle. It waits for two turns of the event loop, because the current turn may already be
 * past its reads.
 */
async function untilArrivedBytesAreRead(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

type ParserError = Error & { code?: string };

/**
 * Answers a request that is not valid HTTP, or does not arrive in time, with the error envelope, and closes its connection. The answers to
 * earlier requests of the connection are sent before, because the client would take the refusal for the answer to its first request.
 */
function refuseMalformedRequests(server: Server, openResponses: OpenResponses, logger: Logger): void {
  const awaiting = new WeakSet<Duplex>();
  server.on('clientError', (error: ParserError, socket) => {
    // Node reports every further chunk of the connection as malformed.
    if (awaiting.has(socket)) return;
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const open = openResponses.of(socket);
    // The body of the last request may be malformed or late; otherwise the error is in the bytes after it.
    const own = open.find(({ req }) => !req.complete);
    const earlier = open.findLast((response) => response !== own);
    if (earlier) {
      awaiting.add(socket);
      earlier.once('close', () => refuseRequest(error, socket, logger));
    } else if (own?.headersSent) socket.destroy();
    else refuseRequest(error, socket, logger);
  });
}

function refuseRequest(error: ParserError, socket: Duplex, logger: Logger): void {
  const [status, message] = REFUSAL_OF_ERROR[error.code ?? ''] ?? ['400 Bad Request', 'The request is not valid HTTP.'];
  const requestID = answerAndClose(socket, status, new ApiError('BAD_REQUEST', message));
  const fields = { requestID, status: Number.parseInt(status, 10), code: error.code };
  if (requestID !== undefined) logger.info(fields, 'the HTTP parser refused a request');
}

/**
 * Answers CONNECT with the error envelope. While earlier requests of the connection have no answer it closes the connection instead: for CONNECT
 * Node takes its listeners from the connection, so these answers would have no time limits, and larger ones would never end.
 */
function refuseTunnels(server: Server, openResponses: OpenResponses, logger: Logger): void {
  server.on('connect', (_request, socket) => {
    socket.on('error', () => socket.destroy());
    if (openResponses.of(socket).length > 0) {
      socket.destroy();
      return;
    }
    const error = new ApiError('NOT_FOUND');
    const requestID = answerAndClose(socket, '404 Not Found', error);
    if (requestID !== undefined) logger.info({ requestID, status: error.status }, 'a tunnel was refused');
  });
}

/**
 * Treats a request to upgrade as one without an upgrade if it does not ask for a WebSocket, such as the offers of HTTP/2 that some clients send with
 * every request. The same while earlier requests of its connection have no answer, because both protocols would write to the connection.
 */
function upgradeOnlyToWebSockets(server: Server, openResponses: OpenResponses): void {
  const shouldUpgrade = ({ socket, headers }: IncomingMessage) =>
    server.listenerCount('upgrade') > 0 &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    openResponses.of(socket).length === 0;
  // Node's types lack this option.
  Reflect.set(server, 'shouldUpgradeCallback', shouldUpgrade);
}

/**
 * Writes an answer with the error envelope to the bare socket, for an error of the HTTP parser or CONNECT, and closes the connection. Returns the
 * new request id; undefined, with nothing sent, when the socket no longer takes bytes.
 */
function answerAndClose(socket: Duplex, status: string, error: ApiError): string | undefined {
  if (!socket.writable) return undefined;
  const body = JSON.stringify(error.toEnvelope());
  const requestID = newRequestID();
  // Destroys the socket as well, because the client may never close its half of the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\n${REQUEST_ID_HEADER}: ${requestID}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return requestID;
}
