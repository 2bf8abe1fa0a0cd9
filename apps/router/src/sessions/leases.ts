import { farewell } from '../frames/farewell';
import { within } from '../keep-asking';
import type { Tools } from '../tools';
import type { Departures } from './departures';
import { judgeLease, type LeaseTimes } from './lease-rules';
import type { Session } from './session';
import type { SessionRepository } from './session.repository';
import type { Sessions } from './sessions';

/** Keeps the leases of this replica's sessions, and lets go of sessions that it cannot keep. */
export class Leases {
  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
    private readonly rows: SessionRepository,
    private readonly departures: Departures,
    private readonly times: LeaseTimes,
  ) {}

  /** One update for all that were heard of; who is not renewed was closed by another replica, or came too late. */
  async renew(): Promise<void> {
    const now = performance.now();
    const written = this.sessions.all().filter(({ rowWritten }) => rowWritten);
    for (const session of written) keepAwake(session, now);
    const due = written.filter(({ heardAt }) => now - heardAt < this.times.graceMs);
    const asked = this.rows.renew(due.map(({ id }) => id));
    // A database that hangs must not hold up the next round.
    const alive = await within(this.times.renewMs, asked, 'The renewal of leases');
    for (const session of due) {
      if (alive.has(session.id)) session.renewedAt = Math.max(now, session.renewedAt);
      else this.letGo(session);
    }
    await within(this.times.renewMs, this.departures.writeClosings(), 'The closing of sessions');
  }

  /** Looks at the clock only: it works while the database does not. */
  watch(now = performance.now()): void {
    for (const session of this.sessions.all()) {
      const verdict = judgeLease(now, session, this.times);
      if (verdict === 'lapsing') this.letGo(session);
      if (verdict === 'silent') this.departures.cut(session);
    }
  }

  private letGo(session: Session): void {
    const { id: sessionID, environmentID } = session;
    this.tools.logger.warn({ sessionID, environmentID }, 'the lease of a session could not be kept');
    this.departures.leave(session, farewell.leaseLost());
  }
}

/** Who is not read, for back-pressure, cannot be heard, and must not take the router's silence for its absence. */
function keepAwake(session: Session, now: number): void {
  if (!session.socket.paused) return;
  session.heardAt = now;
  if (session.open) session.send({ type: 'heartbeat' });
}
