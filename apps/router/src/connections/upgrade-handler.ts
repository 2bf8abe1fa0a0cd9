import { withTimeout } from '@batuta/async';
import { bearerToken, hashSecret, messageOfUnknownSecret, MinuteCounts } from '@batuta/auth';
import { environmentOfActivationKey, type AgentEnvironment } from '@batuta/catalog';
import { AGENT_PATH, MAX_FRAME_BYTES, MAX_FRAGMENTS } from '@batuta/agent-protocol';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext, timeoutErrorOf } from '../context/router-context';
import { closeReasons } from '../frames/close-reason';
import { AgentMemory, memoryTenantOf } from '../sessions/agent-memory';
import { AgentSocket } from '../sessions/agent-socket';
import { SessionOpener } from './session-opener';

/** Time limit of the look-up of an activation key; afterwards the connection is refused with UNAVAILABLE. */
const LOOKUP_TIME_LIMIT_MS = 3_000;
/** Seconds of `Retry-After` for an agent whose company has reached its maximum number of connections. */
const FULL_COMPANY_WAIT_SECONDS = 30;

/** Admits agents: checks the activation key of an upgrade request before the WebSocket is accepted. */
@Injectable()
export class UpgradeHandler {
  /** The company id of each open connection. */
  private readonly sockets = new Map<AgentSocket, string>();
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    maxFragments: MAX_FRAGMENTS,
    perMessageDeflate: false,
    clientTracking: false,
  });
  private readonly wrongKeys: MinuteCounts;
  private closed = false;

  constructor(
    private readonly context: RouterContext,
    private readonly opener: SessionOpener,
    private readonly store: Store,
    private readonly memory: AgentMemory,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {
    this.wrongKeys = new MinuteCounts(config.FAILING_KEYS_PER_MINUTE);
    this.server.on('wsClientError', (_error, socket) =>
      refuseUpgrade(socket, new ApiError('BAD_REQUEST', 'The request is no handshake of a WebSocket.')),
    );
  }

  /** Accepts or refuses an upgrade request, in the background; `address` identifies the client for the throttle of wrong keys. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    socket.on('error', () => socket.destroy());
    this.admit(request, address)
      .then((environment) => this.accept(request, socket, head, environment))
      .catch((error: unknown) => this.refuse(socket, address, error));
  }

  /** Refuses new connections and closes all others: the agents resume at another router. */
  close(): void {
    this.closed = true;
    for (const socket of this.sockets.keys()) socket.close(closeReasons.goingAway());
  }

  private async admit(request: IncomingMessage, address: string): Promise<AgentEnvironment> {
    if (request.url?.split('?', 1)[0] !== AGENT_PATH) throw new ApiError('NOT_FOUND');
    this.requireRoom();
    if (this.wrongKeys.waitMsOf([address], Date.now()) > 0) throw new ApiError('RATE_LIMITED');
    const key = bearerToken(request.headers.authorization);
    const environment = key && (await this.environmentOf(key));
    if (environment) return environment;
    this.wrongKeys.record([address], Date.now());
    throw key
      ? new ApiError(
          'INVALID_CREDENTIAL',
          messageOfUnknownSecret('Authorization', key, 'bak', 'The activation key is not known.'),
        )
      : new ApiError('MISSING_CREDENTIAL', 'Authorization: Bearer <activation key> is missing.');
  }

  private environmentOf(key: string): Promise<AgentEnvironment | undefined> {
    const lookup = environmentOfActivationKey(this.store, hashSecret(key));
    return withTimeout(lookup, LOOKUP_TIME_LIMIT_MS, timeoutErrorOf('The look-up of the key'));
  }

  private accept(request: IncomingMessage, socket: Duplex, head: Buffer, environment: AgentEnvironment): void {
    if (socket.destroyed) return;
    // Checked again, because other connections were accepted during the look-up of the key.
    this.requireRoom();
    this.requireRoomOf(environment);
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const frameTimeLimitMs = this.config.FRAME_SECONDS * 1_000;
      const agent = new AgentSocket(webSocket, {
        connection: socket,
        tenant: memoryTenantOf(environment),
        memory: this.memory,
        frameTimeLimitMs,
      });
      this.sockets.set(agent, environment.companyID);
      webSocket.on('close', () => this.sockets.delete(agent));
      this.opener.open(agent, environment);
    });
  }

  /** Throws UNAVAILABLE if the router stops, or has its maximum number of connections. */
  private requireRoom(): void {
    if (!this.closed && this.sockets.size < this.config.CONNECTIONS) return;
    throw new ApiError('UNAVAILABLE', 'This router takes no more agents for the moment; try again.');
  }

  /**
   * Throws RATE_LIMITED if the company has reached its maximum number of connections (interpretation 55). Connections are counted instead of
   * sessions, because a connection takes memory even without a hello.
   */
  private requireRoomOf({ companyID }: AgentEnvironment): void {
    const { COMPANY_CONNECTIONS: limit } = this.config;
    let connected = 0;
    for (const other of this.sockets.values()) if (other === companyID) connected += 1;
    if (connected < limit) return;
    throw new ApiError('RATE_LIMITED', `The agents of a company have at most ${limit} connections at one router.`);
  }

  private refuse(socket: Duplex, address: string, error: unknown): void {
    const refusal = error instanceof ApiError ? error : new ApiError('INTERNAL');
    this.context.metrics.refusedConnections.inc({ status: String(refusal.status) });
    if (refusal === error)
      this.context.logger.info({ address, code: refusal.code }, 'the connection of an agent was refused');
    else
      this.context.logger.error(
        { err: error, address },
        'the connection of an agent was refused after an unexpected error',
      );
    const waitSeconds = Math.ceil(this.wrongKeys.waitMsOf([address], Date.now()) / 1_000) || FULL_COMPANY_WAIT_SECONDS;
    refuseUpgrade(socket, refusal, headersOf(refusal, waitSeconds));
  }
}

function headersOf({ status }: ApiError, waitSeconds: number): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 429) return { 'Retry-After': String(waitSeconds) };
  return status === 503 ? { 'Retry-After': '1' } : {};
}

/** Answers an upgrade request with the error envelope and closes the connection. */
function refuseUpgrade(socket: Duplex, error: ApiError, headers: Record<string, string> = {}): void {
  const body = JSON.stringify(error.toEnvelope());
  const lines = Object.entries({
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  // The socket is destroyed as well, because the client may never close its half of the connection.
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${lines.join('')}\r\n${body}`);
}
