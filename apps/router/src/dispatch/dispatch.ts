import { execution, notifications, type Work } from '@batuta/contracts';
import { faultPoint } from '@batuta/observability';
import type { Session } from '../sessions/session';
import type { Sessions } from '../sessions/sessions';
import type { Tools } from '../tools';
import { nextAllotment, roomOf } from './allotment';
import type { Custody } from './custody';
import { UnderWay } from '../under-way';
import type { Releases } from './releases';

const POLLS_AT_ONCE = 16;

/** What became of a claim: it brought work, it waited in vain, it was answered at once with nothing, or not at all. */
type Claimed = 'work' | 'waited' | 'nothing' | 'failed';

/** A claim waits at execution for work to come; a moment longer, and its answer was lost. */
const ANSWER_MS = 5_000;
/** A claim that waits answers what is hinted within so long, or another took it, or nobody keeps the claim any more. */
const DOUBT_MS = 500;

/** What one session may claim. In parts only where no other has room: with each part it is another's turn. */
interface Share {
  session: Session;
  limit: number;
  inParts?: true;
}

/** The claim of an environment that waits. */
interface Standing extends Pick<Share, 'session' | 'inParts'> {
  doubt?: NodeJS.Timeout;
}

/**
 * Brings queued instances to the sessions at this replica. One claim after the other for each environment, as long as one
 * of its sessions has room: execution answers with what is queued and with what comes next.
 */
export class Dispatch {
  private readonly rounds = new Map<string, Promise<void>>();
  private readonly wishedAgain = new Set<string>();
  private readonly standing = new Map<string, Standing>();
  private readonly beside = new UnderWay();
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
    await Promise.all([...this.rounds.values(), this.beside.settled()]);
  }

  private run(environmentID: string): Promise<void> {
    const current = this.rounds.get(environmentID);
    if (current) {
      this.wishedAgain.add(environmentID);
      this.doubt(environmentID);
      this.takeTurns(environmentID);
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
    const share = this.allotment(environmentID);
    if (!share) return 'nothing';
    const begun = performance.now();
    const brought = await this.claimWaiting(share);
    if (brought === undefined) return 'failed';
    if (brought > 0) return 'work';
    return performance.now() - begun < this.waitMilliseconds / 2 ? 'nothing' : 'waited';
  }

  /** How much it brought; undefined when its end was never heard of. */
  private async claimWaiting(share: Share): Promise<number | undefined> {
    const { session, inParts } = share;
    const standing: Standing = { session, inParts };
    this.standing.set(session.environmentID, standing);
    session.claiming = true;
    let brought = 0;
    const ahead = (work: Work[]) => {
      brought += work.length;
      this.offer(session, work);
    };
    const last = await this.claim(share, this.waitMilliseconds, ahead);
    session.claimed(last !== undefined);
    this.standing.delete(session.environmentID);
    clearTimeout(standing.doubt);
    if (last) this.offer(session, last);
    return last && brought + last.length;
  }

  /** Something was hinted: a claim that waits and does not answer it is not relied upon. */
  private doubt(environmentID: string): void {
    const standing = this.standing.get(environmentID);
    if (!standing || standing.doubt) return;
    const claimBeside = async () => {
      const share = this.allotment(environmentID, standing.session);
      const work = share && (await this.claim(share, 0));
      standing.doubt = undefined;
      if (share && work) this.offer(share.session, work);
    };
    standing.doubt = setTimeout(() => this.beside.add(claimBeside()), DOUBT_MS).unref();
  }

  /** Another agent has room by now: the claim in parts ends, as where its session gives something back. */
  private takeTurns(environmentID: string): void {
    const standing = this.standing.get(environmentID);
    if (!standing?.inParts || !this.allotment(environmentID)) return;
    standing.inParts = undefined;
    this.tools.rpc.notify(notifications.work, { environmentID, from: standing.session.id });
  }

  /** While a claim waited the agent may have left or begun to rest, its capacity shrunk, or another claim brought work. */
  private offer(session: Session, work: Work[]): void {
    if (work.length === 0) return;
    faultPoint('router:after-claim');
    this.tools.figures.claimed.inc(work.length);
    const over = this.stopped || session.over.aborted;
    const room = over ? 0 : roomOf({ ...session.asTaker(), claiming: false });
    this.releases.release(session.id, work.slice(room));
    if (room > 0) this.custody.offer(session, work.slice(0, room));
  }

  /** Undefined when nobody answered: if the claim was made all the same, execution's sweep gives it back. */
  private async claim(
    { session, limit, inParts }: Share,
    waitMilliseconds: number,
    ahead?: (work: Work[]) => void,
  ): Promise<Work[] | undefined> {
    const { environmentID, id: sessionID } = session;
    const { rpc, figures, logger } = this.tools;
    const request = { environmentID, sessionID, limit, waitMilliseconds, ...(ahead && inParts && { inParts }) };
    try {
      const { work } = await rpc.call(execution.claim, request, {
        timeout: waitMilliseconds + ANSWER_MS,
        ahead: ahead && (({ work: part }) => ahead(part)),
      });
      return work;
    } catch (error) {
      figures.retries.inc({ call: 'claim' });
      logger.warn({ err: error, sessionID, environmentID }, 'claim failed');
      return undefined;
    }
  }

  /** Which session claims next, and how much; the claim of one that waits may be left out of account. */
  private allotment(environmentID: string, waiting?: Session): Share | undefined {
    if (this.stopped) return undefined;
    const takers = this.sessions.of(environmentID).map((session) => {
      const taker = session.asTaker();
      return session === waiting ? { ...taker, claiming: false } : taker;
    });
    const next = nextAllotment(takers);
    const session = next && this.sessions.get(next.sessionID);
    return session && { session, limit: next.limit, ...(next.alone && { inParts: true }) };
  }
}
