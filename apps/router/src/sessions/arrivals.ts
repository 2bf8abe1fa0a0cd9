import type { AgentEnvironment } from '@batuta/catalog';
import {
  AGENT_PROTOCOL_VERSION,
  execution,
  type AdoptedInstance,
  type HeldInstance,
  type HelloFrame,
} from '@batuta/contracts';
import type { AgentSocket } from '../connections/agent-socket';
import { farewell } from '../frames/farewell';
import { keepAsking, within } from '../keep-asking';
import type { Tools } from '../tools';
import type { Conversation } from './conversation';
import type { Departures } from './departures';
import { Session } from './session';
import type { SessionRepository } from './session.repository';
import type { Sessions } from './sessions';

export interface ArrivalSettings {
  helloMs: number;
  graceSeconds: number;
  heartbeatSeconds: number;
  environmentSessions: number;
}

interface Settled {
  granted: AdoptedInstance[];
  revoked: HeldInstance[];
}

/** From an accepted connection to a welcomed session: hello, its row, and what an earlier session left. */
export class Arrivals {
  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
    private readonly rows: SessionRepository,
    private readonly departures: Departures,
    private readonly conversation: Conversation,
    private readonly settings: ArrivalSettings,
  ) {}

  receive(socket: AgentSocket, environment: AgentEnvironment): void {
    const timer = setTimeout(() => socket.leave(farewell.helloTimeout()), this.settings.helloMs).unref();
    socket.listen({
      closed: () => clearTimeout(timer),
      frame: (frame) => {
        clearTimeout(timer);
        if (frame.type === 'hello') this.greet(socket, frame, environment);
        else socket.leave(farewell.badFrame('type: the first frame must be hello'));
      },
    });
  }

  private greet(socket: AgentSocket, hello: HelloFrame, environment: AgentEnvironment): void {
    if (this.sessions.of(environment.environmentID).length >= this.settings.environmentSessions) {
      return socket.leave(farewell.tooManySessions());
    }
    const session = new Session(socket, hello, environment);
    this.sessions.add(session);
    // Nothing is read before the welcome; what was read with the hello waits in the conversation.
    socket.pause();
    this.conversation.begin(session);
    this.welcome(session).catch((error: unknown) => {
      const { id: sessionID, environmentID } = session;
      this.tools.logger.warn({ err: error, sessionID, environmentID }, 'agent could not be welcomed');
      this.departures.leave(session, farewell.unavailable());
    });
  }

  private async welcome(session: Session): Promise<void> {
    const { id: sessionID, environmentID, hello } = session;
    await within(this.settings.helloMs, this.write(session), 'The session’s row');
    const settled = await this.settle(session);
    if (session.over.aborted || !settled) return;
    const { graceSeconds, heartbeatSeconds } = this.settings;
    for (const adopted of settled.granted) session.holdGranted(adopted);
    session.send({
      type: 'welcome',
      protocol: AGENT_PROTOCOL_VERSION,
      sessionID,
      environmentID,
      heartbeatSeconds,
      graceSeconds,
      granted: settled.granted.map(({ instanceID, fence, desired }) => ({ instanceID, fence, desired })),
      revoked: settled.revoked,
    });
    const { agent, runtimeVersion, resume } = hello;
    const counts = { granted: settled.granted.length, revoked: settled.revoked.length, previous: resume?.sessionID };
    this.tools.logger.info({ sessionID, environmentID, agent, runtimeVersion, ...counts }, 'agent welcomed');
    this.conversation.open(session);
  }

  private async write(session: Session): Promise<void> {
    session.renewedAt = performance.now();
    await this.rows.insert(session);
    session.rowWritten = true;
    if (session.over.aborted) this.departures.closeRow(session.id);
  }

  /** Undefined when execution does not answer in time, or the agent is gone meanwhile. */
  private async settle(session: Session): Promise<Settled | undefined> {
    const { resume } = session.hello;
    if (!resume) return { granted: [], revoked: [] };
    const previous = await within(this.settings.helloMs, this.rows.environmentOf(resume.sessionID), 'The look-up');
    // Nothing of another environment is handed over, nor of a session that nobody remembers.
    if (previous !== session.environmentID) return { granted: [], revoked: resume.held };
    const here = this.sessions.get(resume.sessionID);
    if (here) this.departures.leave(here, farewell.superseded());
    const settled = await this.adopt(session, resume);
    // At another replica the next renewal finds the row closed, and drops the socket.
    if (!here) this.departures.closeRow(resume.sessionID);
    return settled;
  }

  private async adopt(
    session: Session,
    { sessionID: previousSessionID, held }: NonNullable<HelloFrame['resume']>,
  ): Promise<Settled | undefined> {
    const { rpc, figures } = this.tools;
    const ask = () => rpc.call(execution.adopt, { sessionID: session.id, previousSessionID, held });
    const late = AbortSignal.timeout(this.settings.helloMs);
    const settled = await keepAsking(ask, AbortSignal.any([session.over, late]), () =>
      figures.retries.inc({ call: 'adopt' }),
    );
    if (!settled && !session.over.aborted) throw new Error('execution did not answer the resume in time');
    return settled;
  }
}
