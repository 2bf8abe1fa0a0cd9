import { bearerToken, hashSecret, type FailureThrottle } from '@batuta/auth';
import type { AgentEnvironment } from '@batuta/catalog';
import { AGENT_PATH, MAX_FRAME_BYTES } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { farewell } from '../frames/farewell';
import { within } from '../keep-asking';
import type { Arrivals } from '../sessions/arrivals';
import type { Tools } from '../tools';
import { AgentSocket } from './agent-socket';
import { refuseUpgrade } from './refuse-upgrade';

const LOOKUP_MS = 3_000;

/** Lets agents in: the activation key is checked before the WebSocket is accepted. */
export class Gate {
  private readonly sockets = new Set<AgentSocket>();
  private readonly server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    clientTracking: false,
  });
  private shut = false;

  constructor(
    private readonly tools: Tools,
    private readonly arrivals: Arrivals,
    private readonly environmentOf: (keyHash: Buffer) => Promise<AgentEnvironment | undefined>,
    private readonly failing: FailureThrottle,
    private readonly mostConnections: number,
  ) {
    this.server.on('wsClientError', (_error, socket) =>
      refuseUpgrade(socket, new ApiError('BAD_REQUEST', 'The request is no handshake of a WebSocket.')),
    );
  }

  /** `address` is what counts as the caller's own, for the throttle of wrong keys. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    socket.on('error', () => socket.destroy());
    this.admit(request, address)
      .then((environment) => this.accept(request, socket, head, environment))
      .catch((error: unknown) => this.refuse(socket, address, error));
  }

  /** Takes nobody any more, and sends all away: they connect to another router and resume. */
  close(): void {
    this.shut = true;
    for (const socket of this.sockets) socket.leave(farewell.goingAway());
  }

  private async admit(request: IncomingMessage, address: string): Promise<AgentEnvironment> {
    if (request.url?.split('?', 1)[0] !== AGENT_PATH) throw new ApiError('NOT_FOUND');
    if (this.shut || this.sockets.size >= this.mostConnections) {
      throw new ApiError('UNAVAILABLE', 'This router takes no more agents for the moment; try again.');
    }
    if (this.failing.waitOf([address], Date.now()) > 0) throw new ApiError('RATE_LIMITED');
    const key = bearerToken(request.headers.authorization);
    const environment = key && (await within(LOOKUP_MS, this.environmentOf(hashSecret(key)), 'The look-up of the key'));
    if (environment) return environment;
    this.failing.failed([address], Date.now());
    throw key
      ? new ApiError('INVALID_CREDENTIAL', 'The activation key is not known.')
      : new ApiError('MISSING_CREDENTIAL', 'Authorization: Bearer <activation key> is missing.');
  }

  private accept(request: IncomingMessage, socket: Duplex, head: Buffer, environment: AgentEnvironment): void {
    if (socket.destroyed) return;
    this.server.handleUpgrade(request, socket, head, (webSocket) => {
      const agent = new AgentSocket(webSocket);
      this.sockets.add(agent);
      webSocket.on('close', () => this.sockets.delete(agent));
      if (this.shut) agent.leave(farewell.goingAway());
      else this.arrivals.receive(agent, environment);
    });
  }

  private refuse(socket: Duplex, address: string, error: unknown): void {
    const refusal = error instanceof ApiError ? error : new ApiError('INTERNAL');
    this.tools.figures.refusedConnections.inc({ status: String(refusal.status) });
    if (refusal === error) this.tools.logger.info({ address, code: refusal.code }, 'agent refused');
    else this.tools.logger.error({ err: error, address }, 'agent refused');
    const wait = Math.ceil(this.failing.waitOf([address], Date.now()) / 1_000);
    refuseUpgrade(socket, refusal, headersOf(refusal, wait));
  }
}

function headersOf({ status }: ApiError, waitSeconds: number): Record<string, string> {
  if (status === 401) return { 'WWW-Authenticate': 'Bearer' };
  if (status === 429) return { 'Retry-After': String(Math.max(1, waitSeconds)) };
  return status === 503 ? { 'Retry-After': '1' } : {};
}
