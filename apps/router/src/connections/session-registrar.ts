import { withTimeout } from '@batuta/async';
import type { HelloFrame } from '@batuta/agent-protocol';
import { execution, type AdoptedInstance, type HeldInstance } from '@batuta/contracts';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext, timeoutErrorOf } from '../context/router-context';
import { closeReasons } from '../frames/close-reason';
import type { AgentSession } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import { SessionCloser } from '../sessions/session-closer';
import { SessionRepository } from '../sessions/session.repository';

/** The outcome of a resume: instances that continue in the new session, and instances that the agent must drop. */
export interface ResumedInstances {
  granted: AdoptedInstance[];
  revoked: HeldInstance[];
}

/** Registers a session: writes its row, moves the instances of the agent's previous session to it, and closes that session. */
@Injectable()
export class SessionRegistrar {
  private readonly helloMs: number;

  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
    private readonly repository: SessionRepository,
    private readonly closer: SessionCloser,
    @Inject(ROUTER_CONFIG) config: RouterConfig,
  ) {
    this.helloMs = config.HELLO_SECONDS * 1_000;
  }

  /**
   * Returns undefined when the session ends during the call, also when its activation key is no longer valid. Throws when the database
   * fails, when it or execution takes longer than HELLO_SECONDS, and when execution refuses the resume.
   */
  async register(session: AgentSession): Promise<ResumedInstances | undefined> {
    await withTimeout(this.writeRow(session), this.helloMs, timeoutErrorOf('The session’s row'));
    if (session.endSignal.aborted) return undefined;
    void this.logChangedKey(session).catch(() => undefined);
    return this.resume(session);
  }

  private async writeRow(session: AgentSession): Promise<void> {
    session.renewedAt = performance.now();
    // The key was checked before the hello, which an agent may delay; meanwhile the key may have been revoked.
    if (!(await this.repository.insert(session))) return this.closer.refuse(session, closeReasons.badKey(), 401);
    session.hasRow = true;
    if (session.endSignal.aborted) this.closer.closeRow(session.id);
  }

  /**
   * Logs when the agent's key differs from the earlier one under the same agent name: the new key may belong to an
   * attacker (docs/security.md), or two machines share one name.
   */
  private async logChangedKey(session: AgentSession): Promise<void> {
    const { id, environmentID, keyFingerprint: fingerprint } = session;
    const { agent } = session.hello;
    const earlier = await this.repository.findEarlierFingerprint({ id, environmentID, agent });
    if (earlier === undefined || earlier === fingerprint) return;
    this.context.logger.warn({ environmentID, agent, fingerprint, earlier }, 'the key of an agent changed');
  }

  private async resume(session: AgentSession): Promise<ResumedInstances | undefined> {
    const { resume } = session.hello;
    if (!resume) return { granted: [], revoked: [] };
    const lookup = this.repository.environmentOf(resume.sessionID);
    const environmentID = await withTimeout(lookup, this.helloMs, timeoutErrorOf('The look-up'));
    // Nothing is resumed from a session that is unknown or belongs to another environment.
    if (environmentID !== session.environmentID) return { granted: [], revoked: resume.held };
    const previous = this.sessions.get(resume.sessionID);
    if (previous) this.closer.close(previous, closeReasons.superseded());
    const resumed = await this.adopt(session, resume);
    // If another replica has the previous session, that replica's next renewal finds the row closed and ends the session.
    if (!previous) this.closer.closeRow(resume.sessionID);
    return resumed;
  }

  private async adopt(
    session: AgentSession,
    { sessionID: previousSessionID, held }: NonNullable<HelloFrame['resume']>,
  ): Promise<ResumedInstances | undefined> {
    const request = { sessionID: session.id, previousSessionID, held };
    const attempt = () => this.context.rpc.call(execution.adopt, request, { tenant: session.companyID });
    const signal = AbortSignal.any([session.endSignal, AbortSignal.timeout(this.helloMs)]);
    const resumed = await this.context.retry('adopt', attempt, signal);
    if (!resumed && !session.endSignal.aborted) throw new Error('execution did not reply to the resume in time');
    return resumed;
  }
}
