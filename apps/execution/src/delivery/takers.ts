import type { Work } from '@batuta/contracts';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** How a claim hears of work ahead of its answer. */
export type Ahead = (work: Work[]) => void;

/** A session's claim; one without `ahead` is over with the first that it gets. */
export interface Claim {
  sessionID: string;
  limit: number;
  ahead?: Ahead;
}

/** A claim that found the queue empty and waits for what comes next. */
export class Taker {
  private timer: NodeJS.Timeout | undefined;
  private late = false;
  private room: number;
  /** The last hint of its queue when it was taken in hand. */
  heard: number | undefined;

  constructor(
    private readonly claim: Claim,
    private readonly answer: (work: Work[]) => void,
  ) {
    this.room = claim.limit;
  }

  get sessionID(): string {
    return this.claim.sessionID;
  }

  /** How much more it takes. */
  get limit(): number {
    return this.room;
  }

  /** Answers with nothing after so long, or as soon as nobody has it in hand. */
  expire(milliseconds: number, gone: () => void): void {
    this.timer = setTimeout(() => {
      this.late = true;
      gone();
    }, milliseconds).unref();
  }

  get isLate(): boolean {
    return this.late;
  }

  /** Whether it waits for more. */
  give(work: Work[]): boolean {
    this.room -= work.length;
    const waitsOn = this.claim.ahead !== undefined && this.room > 0 && !this.late;
    if (waitsOn) this.claim.ahead?.(work);
    else this.end(work);
    return waitsOn;
  }

  end(work: Work[] = []): void {
    clearTimeout(this.timer);
    this.answer(work);
  }
}

/** What a look at a queue found; `drained` = it saw the queue's end. */
export interface Found {
  work: Work[];
  drained: boolean;
}

/** Looks at queues are remembered for so many environments, and believed for so long: a hint may be lost. */
const REMEMBERED = 10_000;
const BELIEVED_MS = 1_000;

/**
 * The claims that wait at this replica, so that a start which is accepted here goes straight to an agent with room and
 * not by way of the queue. Nothing depends on it: what no taker gets is queued, hinted and claimed.
 */
@Injectable()
export class Takers implements OnModuleDestroy {
  private readonly waiting = new Map<string, Set<Taker>>();
  /** When each queue was last seen empty; gone with the first hint of work. */
  private readonly empty = new LRUCache<string, number>({ max: REMEMBERED });
  /** The last hint of each queue, by its number. */
  private readonly heard = new LRUCache<string, number>({ max: REMEMBERED });
  private hints = 0;
  private closed = false;

  get isClosed(): boolean {
    return this.closed;
  }

  /** Waits at most so many milliseconds for up to `limit` instances. */
  wait(environmentID: string, claim: Claim, milliseconds: number): Promise<Work[]> {
    if (this.closed) return Promise.resolve([]);
    return new Promise((resolve) => {
      const taker = new Taker(claim, resolve);
      this.add(environmentID, taker);
      taker.expire(milliseconds, () => {
        if (this.remove(environmentID, taker)) taker.end();
      });
    });
  }

  /** The one whose turn it is, in the caller's hand now: to be given something or put back. */
  take(environmentID: string): Taker | undefined {
    const [taker] = this.waiting.get(environmentID) ?? [];
    if (!taker) return undefined;
    this.remove(environmentID, taker);
    taker.heard = this.heard.get(environmentID);
    return taker;
  }

  /** One that takes more has its turn again after the others. */
  give(environmentID: string, taker: Taker, work: Work[]): void {
    if (work.length === 0 || taker.give(work)) this.putBack(environmentID, taker);
  }

  /** Ends the claim where something was hinted that nobody looked for with it: the next claim looks before it waits. */
  putBack(environmentID: string, taker: Taker): void {
    const missed = taker.heard !== this.heard.get(environmentID);
    if (this.closed || taker.isLate || missed) taker.end();
    else this.add(environmentID, taker);
  }

  /** The session has no use for more: its claims end. */
  dismiss(environmentID: string, sessionID: string): void {
    for (const taker of this.waiting.get(environmentID) ?? []) {
      if (taker.sessionID === sessionID && this.remove(environmentID, taker)) taker.end();
    }
  }

  /** Whether the queue was found empty a moment ago, and nothing was heard of it since. */
  isEmpty(environmentID: string): boolean {
    return performance.now() - (this.empty.get(environmentID) ?? -Infinity) < BELIEVED_MS;
  }

  /** Remembers a queue that `look` drained, unless something was hinted meanwhile. */
  async look(environmentID: string, look: () => Promise<Found>): Promise<Work[]> {
    const [begun, heard] = [performance.now(), this.heard.get(environmentID)];
    const { work, drained } = await look();
    if (drained && this.heard.get(environmentID) === heard) this.empty.set(environmentID, begun);
    else this.empty.delete(environmentID);
    return work;
  }

  /** Something was queued, here or elsewhere. */
  hinted(environmentID: string): void {
    this.hints += 1;
    this.heard.set(environmentID, this.hints);
    this.empty.delete(environmentID);
  }

  onModuleDestroy(): void {
    this.closed = true;
    for (const takers of this.waiting.values()) for (const taker of takers) taker.end();
    this.waiting.clear();
  }

  private add(environmentID: string, taker: Taker): void {
    const takers = this.waiting.get(environmentID) ?? new Set();
    this.waiting.set(environmentID, takers.add(taker));
  }

  private remove(environmentID: string, taker: Taker): boolean {
    const takers = this.waiting.get(environmentID);
    const was = takers?.delete(taker) === true;
    if (takers?.size === 0) this.waiting.delete(environmentID);
    return was;
  }
}
