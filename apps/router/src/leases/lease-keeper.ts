import { withTimeout } from '@batuta/async';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext, timeoutErrorOf } from '../context/router-context';
import { closeReasons } from '../frames/close-reason';
import type { AgentSession } from '../sessions/agent-session';
import { AgentSessions } from '../sessions/agent-sessions';
import { SessionCloser } from '../sessions/session-closer';
import { SessionRepository } from '../sessions/session.repository';
import { leaseCondition, leaseTimes } from './lease-rules';

/** Renews the leases of this replica's sessions and closes sessions whose lease it cannot renew. */
@Injectable()
export class LeaseKeeper {
  private readonly times;

  constructor(
    private readonly context: RouterContext,
    private readonly sessions: AgentSessions,
    private readonly repository: SessionRepository,
    private readonly closer: SessionCloser,
    @Inject(ROUTER_CONFIG) config: RouterConfig,
  ) {
    this.times = leaseTimes(config.LEASE_SECONDS);
  }

  /**
   * Renews with one update the leases of all agents that sent a frame within the grace period, or whose sockets the router does not read now;
   * the latter get a heartbeat once they are welcomed. Ends a session that the update does not find, because the session is closed or its
   * lease has expired. Then tries again to close the rows of ended sessions. Throws UNAVAILABLE when the database does not answer in time.
   */
  async renew(): Promise<void> {
    const now = performance.now();
    const written = this.sessions.all().filter(({ hasRow }) => hasRow);
    for (const session of written) keepPausedAlive(session, now);
    const due = written.filter(({ lastFrameAt }) => now - lastFrameAt < this.times.graceMs);
    const update = this.repository.renew(due.map(({ id }) => id));
    // The query has a time limit, because a database that hangs must not delay the next renewal.
    const alive = await withTimeout(update, this.times.renewIntervalMs, timeoutErrorOf('The renewal of leases'));
    for (const session of due) {
      if (alive.has(session.id)) session.renewedAt = Math.max(now, session.renewedAt);
      else this.closeLost(session);
    }
    await withTimeout(
      this.closer.closeAllRows(),
      this.times.renewIntervalMs,
      timeoutErrorOf('The closing of sessions'),
    );
  }

  /** Ends lapsing and silent sessions. Uses only the local clock, so that it works while the database is away. */
  checkClocks(): void {
    const now = performance.now();
    for (const session of this.sessions.all()) {
      const condition = leaseCondition(now, session, this.times);
      if (condition === 'lapsing') this.closeLost(session);
      if (condition === 'silent') this.closer.terminate(session);
    }
  }

  private closeLost(session: AgentSession): void {
    const { id: sessionID, environmentID } = session;
    this.context.logger.warn({ sessionID, environmentID }, 'a session lost its lease and ends');
    this.closer.close(session, closeReasons.leaseLost());
  }
}

/**
 * Does not count a paused socket as silent: the router itself stopped reading it, and its agent still needs heartbeats.
 */
function keepPausedAlive(session: AgentSession, now: number): void {
  if (!session.socket.isPaused) return;
  session.lastFrameAt = now;
  if (session.isWelcomed) session.send({ type: 'heartbeat' });
}
