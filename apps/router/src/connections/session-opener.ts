import type { AgentEnvironment } from '@batuta/catalog';
import { AGENT_PROTOCOL_VERSION, MAX_PICTURE_BYTES, PICTURE_PART_BYTES, type HelloFrame } from '@batuta/agent-protocol';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext } from '../context/router-context';
import { closeReasons } from '../frames/close-reason';
import { leaseTimes } from '../leases/lease-rules';
import { AgentMemory } from '../sessions/agent-memory';
import { AgentSession } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import type { AgentSocket } from '../sessions/agent-socket';
import { SessionCloser } from '../sessions/session-closer';
import { FrameHandler } from './frame-handler';
import { SessionRegistrar, type ResumedInstances } from './session-registrar';

/** Turns an accepted connection into a session: waits for the hello, registers the session, sends the welcome. */
@Injectable()
export class SessionOpener {
  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
    private readonly memory: AgentMemory,
    private readonly closer: SessionCloser,
    private readonly registrar: SessionRegistrar,
    private readonly frames: FrameHandler,
    @Inject(ROUTER_CONFIG) private readonly config: RouterConfig,
  ) {}

  /** Begins to wait for the hello, for at most HELLO_SECONDS; returns at once. */
  open(socket: AgentSocket, environment: AgentEnvironment): void {
    const helloTimer = setTimeout(
      () => socket.close(closeReasons.helloTimeout()),
      this.config.HELLO_SECONDS * 1_000,
    ).unref();
    socket.listen({
      onClose: () => clearTimeout(helloTimer),
      onFrame: (frame) => {
        clearTimeout(helloTimer);
        if (frame.type === 'hello') this.onHello(socket, frame, environment);
        else socket.close(closeReasons.badFrame('type: the first frame must be hello'));
      },
    });
  }

  private onHello(socket: AgentSocket, hello: HelloFrame, environment: AgentEnvironment): void {
    const { ENVIRONMENT_SESSIONS: limit } = this.config;
    if (this.sessions.inEnvironment(environment.environmentID).length >= limit) {
      const message = `An environment has at most ${limit} sessions at one router; end one, or use another environment.`;
      return socket.close(closeReasons.tooManySessions(message));
    }
    const session = this.sessionOf(socket, hello, environment);
    if (!session) return;
    this.sessions.add(session);
    // The socket is paused until the welcome; frames that were received together with the hello are kept as early
    // frames.
    socket.pause('opening');
    this.frames.attach(session);
    this.start(session).catch((error: unknown) => {
      const { id: sessionID, environmentID } = session;
      this.context.logger.warn({ err: error, sessionID, environmentID }, 'a session could not be opened');
      this.closer.refuse(session, closeReasons.unavailable(), 503);
    });
  }

  /** Makes the session; closes the connection if the text of the agent's public key is no key. */
  private sessionOf(socket: AgentSocket, hello: HelloFrame, environment: AgentEnvironment): AgentSession | undefined {
    try {
      return new AgentSession(socket, hello, environment, this.memory);
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      socket.close(closeReasons.badFrame(`publicKey: ${problem}`));
      return undefined;
    }
  }

  private async start(session: AgentSession): Promise<void> {
    const resumed = await this.registrar.register(session);
    if (session.endSignal.aborted || !resumed) return;
    for (const adopted of resumed.granted) session.trackAdopted(adopted);
    this.sendWelcome(session, resumed);
    this.logWelcome(session, resumed);
    this.frames.start(session);
  }

  private sendWelcome({ id: sessionID, environmentID, socket }: AgentSession, resumed: ResumedInstances): void {
    socket.send({
      type: 'welcome',
      protocol: AGENT_PROTOCOL_VERSION,
      sessionID,
      environmentID,
      heartbeatSeconds: this.config.HEARTBEAT_SECONDS,
      graceSeconds: leaseTimes(this.config.LEASE_SECONDS).graceMs / 1_000,
      granted: resumed.granted.map(({ instanceID, fence, desired }) => ({ instanceID, fence, desired })),
      revoked: resumed.revoked,
      evidence: { partBytes: PICTURE_PART_BYTES, pictureBytes: MAX_PICTURE_BYTES },
    });
  }

  private logWelcome({ id: sessionID, environmentID, hello }: AgentSession, resumed: ResumedInstances): void {
    const { agent, runtimeVersion, resume } = hello;
    const counts = { granted: resumed.granted.length, revoked: resumed.revoked.length };
    const fields = { sessionID, environmentID, agent, runtimeVersion, ...counts, previous: resume?.sessionID };
    this.context.logger.info(fields, 'an agent was welcomed');
  }
}
