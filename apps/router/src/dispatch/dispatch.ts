import { execution, type Work } from '@batuta/contracts';
import { faultPoint } from '@batuta/observability';
import type { Session } from '../sessions/session';
import type { Sessions } from '../sessions/sessions';
import type { Tools } from '../tools';
import { nextAllotment } from './allotment';
import type { Custody } from './custody';
import type { Releases } from './releases';

const POLLS_AT_ONCE = 16;

/** What became of a claim: it brought work, it waited in vain, it was answered at once with nothing, or not at all. */
type Claimed = 'work' | 'waited' | 'nothing' | 'failed';

/** A claim waits at execution for work to come; a moment longer, and its answer was lost. */
const ANSWER_MS = 5_000;

/**
 * Brings queued instances to the sessions at this replica. One claim after the other for each environment, as long as one
 * of its sessions has room: execution answers with what is queued or, where nothing is, with what comes next.
 */
export class Dispatch {
  private readonly rounds = new Map<string, Promise<void>>();
  private readonly wishedAgain = new Set<string>();
  private stopped = false;

  constructor(
    private readonly tools: Tools,
    private readonly sessions: Sessions,
    private readonly custody: Custody,
    private readonly releases: Releases,
    /** How long a claim waits for work. */
    private readonly waitMilliseconds: number,
  ) {}

  /** Something was queued, an agent connected, or one has room again. */
  wanted(environmentID: string): void {
    void this.run(environmentID);
  }

  /** Whatever ended their claims: environments with room claim again, a few at once and many over a while. */
  async poll(): Promise<void> {
    const idle = this.sessions.environmentIDs().filter((id) => !this.rounds.has(id) && this.allotment(id));
    for (const [index, environmentID] of idle.entries()) {
      if (index < POLLS_AT_ONCE) void this.run(environmentID);
      else setTimeout(() => void this.run(environmentID), Math.random() * this.waitMilliseconds).unref();
    }
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
        const again = claimed === 'nothing' && this.wishedAgain.has(environmentID);
        goesOn = claimed === 'work' || claimed === 'waited' || again;
      }
    } finally {
      this.rounds.delete(environmentID);
    }
  }

  private async claimOnce(environmentID: string): Promise<Claimed> {
    const allotment = this.allotment(environmentID);
    const session = allotment && this.sessions.get(allotment.sessionID);
    if (!session) return 'nothing';
    const begun = performance.now();
    const work = await this.claim(session, allotment.limit);
    if (!work) return 'failed';
    if (work.length === 0) return performance.now() - begun < this.waitMilliseconds / 2 ? 'nothing' : 'waited';
    faultPoint('router:after-claim');
    this.tools.figures.claimed.inc(work.length);
    if (session.over.aborted || session.draining || this.stopped) this.releases.release(session.id, work);
    else this.custody.offer(session, work);
    return 'work';
  }

  /** Undefined when nobody answered: if the claim was made all the same, execution's sweep gives it back. */
  private async claim(session: Session, limit: number): Promise<Work[] | undefined> {
    const { environmentID, id: sessionID } = session;
    const { rpc, figures, logger } = this.tools;
    const { waitMilliseconds } = this;
    session.claiming = true;
    try {
      const request = { environmentID, sessionID, limit, waitMilliseconds };
      const { work } = await rpc.call(execution.claim, request, { timeout: waitMilliseconds + ANSWER_MS });
      session.claimed(true);
      return work;
    } catch (error) {
      figures.retries.inc({ call: 'claim' });
      logger.warn({ err: error, sessionID, environmentID }, 'claim failed');
      session.claimed(false);
      return undefined;
    }
  }

  private allotment(environmentID: string) {
    if (this.stopped) return undefined;
    return nextAllotment(this.sessions.of(environmentID).map((session) => session.asTaker()));
  }
}
