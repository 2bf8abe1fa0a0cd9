import type { Custody } from '../dispatch/custody';
import type { Farewell } from '../frames/farewell';
import type { Tools } from '../tools';
import { UnderWay } from '../under-way';
import type { Session } from './session';
import type { SessionRepository } from './session.repository';
import type { Sessions } from './sessions';

/** The end of a session, whoever ends it: its row is closed, what was not granted goes back. */
export class Departures {
  /** Rows whose closing is not written yet; a lease that nobody renews ends by itself if it never is. */
  private readonly unwritten = new Set<string>();
  private readonly underWay = new UnderWay();

  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
    private readonly rows: SessionRepository,
    private readonly custody: Custody,
  ) {}

  /** Says why and closes the socket. */
  leave(session: Session, why: Farewell): void {
    session.socket.leave(why);
    this.end(session, why.code);
  }

  /** The agent has heard nothing for so long that it stopped what it ran: no word would reach it. */
  cut(session: Session): void {
    session.socket.cut();
    this.end(session, 'SILENT');
  }

  /** The socket is closed or about to. Twice is once. */
  end(session: Session, reason: string): void {
    if (!this.sessions.remove(session)) return;
    const { id: sessionID, environmentID, held } = session;
    this.tools.figures.sessionsEnded.inc({ reason });
    this.tools.logger.info({ sessionID, environmentID, reason, held: held.size }, 'session ended');
    session.end();
    this.custody.sessionEnded(session);
    this.closeRow(sessionID);
  }

  closeRow(sessionID: string): void {
    this.unwritten.add(sessionID);
    const later = (error: unknown) => this.tools.logger.warn({ err: error, sessionID }, 'session not closed yet');
    this.underWay.add(this.writeClosings().catch(later));
  }

  /** Also called with every renewal, for what could not be written before. */
  async writeClosings(): Promise<void> {
    const closings = [...this.unwritten];
    if (closings.length === 0) return;
    await this.rows.close(closings);
    for (const id of closings) this.unwritten.delete(id);
  }

  settled(): Promise<void> {
    return this.underWay.settled();
  }
}
