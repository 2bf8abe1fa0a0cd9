import { execution, type Work } from '@batuta/contracts';
import { faultPoint } from '@batuta/observability';
import type { Session } from '../sessions/session';
import type { Sessions } from '../sessions/sessions';
import type { Tools } from '../tools';
import { nextAllotment } from './allotment';
import type { Custody } from './custody';
import type { Releases } from './releases';

const POLLS_AT_ONCE = 16;

/** What became of a claim: the queue had as much as was asked for, some, or nothing (or nobody answered). */
type Claimed = 'full' | 'some' | 'none' | 'failed';

/**
 * Brings queued instances to the sessions at this replica. One round of claims at a time for each environment; a wish
 * that comes during one is granted by one more round after it.
 */
export class Dispatch {
  private readonly rounds = new Map<string, Promise<void>>();
  private readonly wishedAgain = new Set<string>();
  /** Environments whose queue was found empty since the last hint: a freed slot alone is no reason to ask again. */
  private readonly drained = new Set<string>();
  private stopped = false;

  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
    private readonly custody: Custody,
    private readonly releases: Releases,
  ) {}

  /** Something was queued, or an agent connected. */
  wanted(environmentID: string): void {
    this.drained.delete(environmentID);
    void this.run(environmentID);
  }

  freed({ environmentID }: Session): void {
    if (!this.drained.has(environmentID)) void this.run(environmentID);
  }

  /** Hints may be lost: every environment with room is looked at, a few at a time. */
  async poll(): Promise<void> {
    const waiting = this.sessions.environmentIDs().filter((environmentID) => this.allotment(environmentID));
    const worker = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await this.run(next);
    };
    await Promise.all(Array.from({ length: POLLS_AT_ONCE }, worker));
  }

  /** Claims no more; resolves when the claims under way are done. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.rounds.values());
  }

  private run(environmentID: string): Promise<void> {
    const current = this.rounds.get(environmentID);
    if (current) {
      this.wishedAgain.add(environmentID);
      return current;
    }
    if (!this.allotment(environmentID)) return Promise.resolve();
    const round = this.round(environmentID);
    this.rounds.set(environmentID, round);
    return round;
  }

  private async round(environmentID: string): Promise<void> {
    try {
      for (let goesOn = true; goesOn && this.allotment(environmentID);) {
        this.wishedAgain.delete(environmentID);
        const claimed = await this.claimOnce(environmentID);
        const again = this.wishedAgain.has(environmentID);
        if (claimed === 'none' && !again) this.drained.add(environmentID);
        goesOn = claimed === 'full' || (again && claimed !== 'failed');
      }
    } finally {
      this.rounds.delete(environmentID);
    }
  }

  private async claimOnce(environmentID: string): Promise<Claimed> {
    const allotment = this.allotment(environmentID);
    const session = allotment && this.sessions.get(allotment.sessionID);
    if (!session) return 'some';
    const work = await this.claim(session, allotment.limit);
    if (!work) return 'failed';
    if (work.length === 0) return 'none';
    faultPoint('router:after-claim');
    this.tools.figures.claimed.inc(work.length);
    if (session.over.aborted || this.stopped) this.releases.release(session.id, work);
    else this.custody.offer(session, work);
    return work.length >= allotment.limit ? 'full' : 'some';
  }

  /** Undefined when nobody answered: if the claim was made all the same, execution's sweep gives it back. */
  private async claim(session: Session, limit: number): Promise<Work[] | undefined> {
    const { environmentID, id: sessionID } = session;
    const { rpc, figures, logger } = this.tools;
    session.claiming = true;
    const observe = figures.claimSeconds.startTimer();
    try {
      const { work } = await rpc.call(execution.claim, { environmentID, sessionID, limit });
      session.claimed(true);
      return work;
    } catch (error) {
      figures.retries.inc({ call: 'claim' });
      logger.warn({ err: error, sessionID, environmentID }, 'claim failed');
      session.claimed(false);
      return undefined;
    } finally {
      observe();
    }
  }

  private allotment(environmentID: string) {
    if (this.stopped) return undefined;
    return nextAllotment(this.sessions.of(environmentID).map((session) => session.asTaker()));
  }
}
