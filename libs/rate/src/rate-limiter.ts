import { MAX_LEASED_REQUESTS, type AllowanceRepository } from './allowance.repository';

export const WINDOW_SECONDS = 60;
const WINDOW_MS = WINDOW_SECONDS * 1_000;
/** Number of blocks in which a limit is leased: more blocks divide the limit more evenly among replicas, fewer cost fewer statements. */
const BLOCKS_PER_LIMIT = 20;

/** Name of the limit of a single caller in the headers. */
export const DEFAULT_LIMIT_NAME = 'default';

/** Requests that a subject, such as `credential:<id>`, may make in a minute. */
export interface RateLimit {
  subject: string;
  /** Maximum number of requests in a minute. */
  limit: number;
  /** The name of the limit in the headers. */
  name?: string;
}

export interface RateAnswer extends RateLimit {
  granted: boolean;
  /** Requests left in this window according to the last lease of this replica. */
  remaining: number;
  /** Seconds until the end of the minute, rounded up. */
  resetSeconds: number;
  /** The end of the minute, in epoch milliseconds. */
  resetAt: number;
}

/** The leased requests of one subject in the current window. */
interface LeasedBlock {
  /** Requests that this replica may still grant. */
  tokens: number;
  /** Requests that all replicas had leased at the time of the last lease. */
  leased: number;
  /** The limit that was used up at the last lease; another lease is attempted only when the limit has been raised. */
  exhaustedLimit: number;
  /** Number of calls that wait for the lease in flight. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

/**
 * Limits the requests of a subject per minute over all replicas (interpretation 42). Each replica leases blocks of requests from the database and
 * grants them from memory, so the total of a minute never exceeds the highest limit of that minute. Requests that a replica leases and does not grant
 * are lost at the end of the minute; therefore several replicas may refuse slightly before the limit is reached.
 */
export class RateLimiter {
  private window = -1;
  private blocks = new Map<string, LeasedBlock>();

  constructor(
    private readonly allowances: AllowanceRepository,
    /** Epoch milliseconds. */
    private readonly now: () => number = Date.now,
  ) {}

  /**
   * Takes one request from each limit, or from none of them when one is used up. The answer is about one limit: the one that refuses,
   * or else the one with the fewest requests left. Throws UNAVAILABLE when a lease is needed and the database does not answer in time.
   */
  async take(first: RateLimit, ...others: RateLimit[]): Promise<RateAnswer> {
    const now = this.now();
    const window = this.enterWindow(now);
    const resetAt = (window + 1) * WINDOW_MS;
    const ends = { resetSeconds: Math.ceil((resetAt - now) / 1_000), resetAt };
    const taken: LeasedBlock[] = [];
    const answers: RateAnswer[] = [];
    // The limits are taken one after the other: a caller beyond its own limit must not take requests from the limit of its company.
    for (const one of [first, ...others]) {
      const block = this.blockOf(one.subject);
      if (!(await this.spendToken(one, window, block))) {
        for (const earlier of taken) earlier.tokens += 1;
        return { ...one, granted: false, remaining: 0, ...ends };
      }
      taken.push(block);
      answers.push({ ...one, granted: true, remaining: remainingOf(block, one.limit), ...ends });
    }
    return answers.reduce((fewest, one) => (one.remaining < fewest.remaining ? one : fewest));
  }

  /** Deletes the rows of windows that ended at least two minutes ago, whichever replica wrote them. */
  async sweep(): Promise<void> {
    await this.allowances.deleteWindowsBefore(Math.floor(this.now() / WINDOW_MS) - 2);
  }

  private enterWindow(now: number): number {
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.window) {
      this.window = window;
      this.blocks = new Map();
    }
    return window;
  }

  private blockOf(subject: string): LeasedBlock {
    const known = this.blocks.get(subject);
    if (known) return known;
    const block: LeasedBlock = { tokens: 0, leased: 0, exhaustedLimit: -1, waiting: 0, leasing: undefined };
    this.blocks.set(subject, block);
    return block;
  }

  private async spendToken({ subject, limit }: RateLimit, window: number, block: LeasedBlock): Promise<boolean> {
    block.waiting += 1;
    try {
      while (block.tokens === 0 && limit > block.exhaustedLimit) {
        block.leasing ??= this.lease(subject, window, limit, block).finally(() => {
          block.leasing = undefined;
        });
        await block.leasing;
      }
    } finally {
      block.waiting -= 1;
    }
    if (block.tokens === 0) return false;
    block.tokens -= 1;
    return true;
  }

  private async lease(subject: string, window: number, limit: number, block: LeasedBlock): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit / BLOCKS_PER_LIMIT), block.waiting);
    const { got, leased } = await this.allowances.lease(subject, window, limit, wanted);
    block.tokens += got;
    block.leased = leased;
    if (got === 0) block.exhaustedLimit = limit;
  }
}

/** The requests that are left under `limit`, which may have changed since the last lease. */
function remainingOf({ tokens, leased }: LeasedBlock, limit: number): number {
  const most = Math.min(limit, MAX_LEASED_REQUESTS);
  return Math.min(most, tokens + Math.max(0, most - leased));
}
