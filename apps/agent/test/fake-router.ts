import { once } from 'node:events';
import type { IncomingHttpHeaders, Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  agentFrameReader,
  type AgentFrame,
  type OfferFrame,
  type ReportResponse,
  type RouterFrame,
} from '@batuta/agent-protocol';
import type { Step } from '@batuta/flow';
import { WebSocketServer, type WebSocket } from 'ws';

const WAIT_TIME_LIMIT_MS = 60_000;

/** The grace period in a welcome, unless a test sets another. */
export const GRACE_SECONDS = 60;

/** For tests: one agent's connection at the router's side. */
export class FakeSession {
  /** The frames of the agent that `next` has not returned yet. */
  readonly frames: AgentFrame[] = [];
  /** Resolves when the connection has ended. */
  readonly closed: Promise<unknown>;
  private onFrame: () => void = () => undefined;

  constructor(
    readonly socket: WebSocket,
    readonly headers: IncomingHttpHeaders,
  ) {
    this.closed = once(socket, 'close');
    socket.on('message', (data: Buffer) => {
      this.frames.push(frameIn(data));
      this.onFrame();
    });
  }

  send(frame: RouterFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  /** Waits at most a minute for a frame of this type, removes it from `frames` and returns it; frames of other types stay. */
  async next<Type extends AgentFrame['type']>(type: Type): Promise<Extract<AgentFrame, { type: Type }>> {
    const deadline = Date.now() + WAIT_TIME_LIMIT_MS;
    for (;;) {
      const index = this.frames.findIndex((frame) => frame.type === type);
      const [frame] = index < 0 ? [] : this.frames.splice(index, 1);
      if (frame && isOfType(frame, type)) return frame;
      if (Date.now() > deadline) throw new Error(`no ${type} arrived, but ${JSON.stringify(this.frames)}`);
      await this.nextFrame();
    }
  }

  welcome(changes: Partial<Extract<RouterFrame, { type: 'welcome' }>> = {}): void {
    this.send({
      type: 'welcome',
      protocol: 1,
      sessionID: 's-1',
      environmentID: 'e-1',
      heartbeatSeconds: 60,
      graceSeconds: GRACE_SECONDS,
      granted: [],
      revoked: [],
      ...changes,
    });
  }

  /** Offers the instance, waits for its acceptance and grants it. */
  async startInstance(offer: OfferFrame): Promise<void> {
    const { instanceID, fence } = offer;
    this.send(offer);
    await this.next('accept');
    this.send({ type: 'grant', instanceID, fence, desired: 'run' });
  }

  /** Acknowledges reports up to the end; returns the messages and answers of all of them, and the end. */
  async acknowledgeUntilEnd() {
    const messages: string[] = [];
    const responses: ReportResponse[] = [];
    for (;;) {
      const { instanceID, fence, seq, lines, response, end } = await this.next('report');
      messages.push(...lines.map((line) => line.message));
      if (response) responses.push(response);
      this.send({ type: 'ack', instanceID, fence, seq, accepted: true });
      if (end) return { messages, responses, end, seq };
    }
  }

  private async nextFrame(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.onFrame = resolve;
      timer = setTimeout(resolve, 1_000);
    });
    clearTimeout(timer);
  }
}

function frameIn(message: Buffer): AgentFrame {
  const read = agentFrameReader.read(JSON.parse(message.toString()));
  if ('problem' in read) throw new Error(read.problem);
  return read.frame;
}

function isOfType<Type extends AgentFrame['type']>(
  frame: AgentFrame,
  type: Type,
): frame is Extract<AgentFrame, { type: Type }> {
  return frame.type === type;
}

/** For tests: a router that does only what a test says. */
export class FakeRouter {
  /** HTTP status with which upgrade requests are refused; undefined = they are accepted. */
  refuseWith: number | undefined;
  /** Called for each upgrade request, which then gets no answer; undefined = upgrade requests are answered. */
  onUnanswered: (() => void) | undefined;
  private readonly unanswered: Socket[] = [];
  private readonly sessions: FakeSession[] = [];
  private onConnection: () => void = () => undefined;

  private constructor(
    private readonly server: WebSocketServer,
    private readonly listening: Server | undefined,
  ) {
    server.on('connection', (socket, request) => {
      this.sessions.push(new FakeSession(socket, request.headers));
      this.onConnection();
    });
  }

  /** Uses a server that already listens, such as one with TLS, or else listens on a free port. */
  static async create(listening?: Server): Promise<FakeRouter> {
    let router: FakeRouter | undefined;
    const server = new WebSocketServer({
      ...(listening ? { server: listening } : { host: '127.0.0.1', port: 0 }),
      path: '/agent/v1',
      verifyClient: ({ req }, done) => {
        if (router?.onUnanswered) {
          router.unanswered.push(req.socket);
          return router.onUnanswered();
        }
        const status = router?.refuseWith;
        done(status === undefined, status);
        if (status !== undefined) server.emit('refused');
      },
    });
    router = new FakeRouter(server, listening);
    if (!listening) await once(server, 'listening');
    return router;
  }

  get url(): string {
    const address = this.server.address();
    if (typeof address !== 'object' || address === null) throw new Error('not listening');
    return `ws://127.0.0.1:${address.port}/agent/v1`;
  }

  /** Waits for the next connection of an agent; the test has read none of its frames yet. */
  async nextSession(): Promise<FakeSession> {
    const deadline = Date.now() + WAIT_TIME_LIMIT_MS;
    for (;;) {
      const session = this.sessions.shift();
      if (session) return session;
      if (Date.now() > deadline) throw new Error('no agent connected');
      await new Promise<void>((resolve) => {
        this.onConnection = resolve;
        setTimeout(resolve, 500);
      });
    }
  }

  /** Resolves at the next refused upgrade request. */
  async nextRefusal(): Promise<void> {
    await once(this.server, 'refused');
  }

  async close(): Promise<void> {
    for (const client of this.server.clients) client.terminate();
    for (const socket of this.unanswered) socket.destroy();
    this.listening?.close();
    this.server.close();
    await once(this.server, 'close');
  }
}

/** An offer of the instance `i-1`, whose flow begins with the first of the steps; `changes` replace fields. */
export function offerOf(steps: Step[], changes: Partial<OfferFrame> = {}): OfferFrame {
  return {
    type: 'offer',
    instanceID: 'i-1',
    fence: 1,
    processID: 'p-1',
    processName: 'Orders',
    version: '1',
    userName: 'ERP',
    requestID: 'r-1',
    flow: { start: steps[0]?.name, steps },
    matrix: [],
    vault: {},
    ...changes,
  };
}
