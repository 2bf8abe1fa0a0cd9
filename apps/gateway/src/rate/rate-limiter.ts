import type { AllowanceRepository } from './allowance.repository';

export const WINDOW_SECONDS = 60;
const WINDOW_MILLISECONDS = WINDOW_SECONDS * 1_000;
/** A block is this part of the limit: many blocks keep replicas fair, few keep the database quiet. */
const BLOCKS = 20;

export interface RateAnswer {
  granted: boolean;
  limit: number;
  /** Requests left in this window, as far as this replica knows. */
  remaining: number;
  resetSeconds: number;
}

/** What this replica holds of one subject's window. */
interface Block {
  tokens: number;
  /** What nobody had leased when this replica last did. */
  left: number;
  /** The limit at which the database had nothing left; a raised one is worth another question. */
  spentAt: number;
  waiting: number;
  leasing: Promise<void> | undefined;
}

/**
 * So many requests per subject and minute over all replicas (interpretation 42): each replica leases blocks from the database
 * and spends them from memory. The sum never passes the limit; what a replica leased and did not spend is lost with the
 * window, so that several replicas together may refuse a little early.
 */
export class RateLimiter {
  private window = -1;
  private blocks = new Map<string, Block>();

  constructor(
    private readonly allowances: AllowanceRepository,
    private readonly now: () => number,
  ) {}

  async take(subject: string, limit: number): Promise<RateAnswer> {
    const now = this.now();
    const window = this.enter(now);
    const block = this.blockOf(subject);
    const granted = await this.spend(subject, window, limit, block);
    return {
      granted,
      limit,
      remaining: granted ? block.tokens + block.left : 0,
      resetSeconds: Math.ceil(((window + 1) * WINDOW_MILLISECONDS - now) / 1_000),
    };
  }

  /** Forgets the windows that have ended a while ago, also on behalf of replicas that are gone. */
  async sweep(): Promise<void> {
    await this.allowances.deleteBefore(Math.floor(this.now() / WINDOW_MILLISECONDS) - 2);
  }

  private enter(now: number): number {
    const window = Math.floor(now / WINDOW_MILLISECONDS);
    if (window !== this.window) {
      this.window = window;
      this.blocks = new Map();
    }
    return window;
  }

  private blockOf(subject: string): Block {
    const known = this.blocks.get(subject);
    if (known) return known;
    const block: Block = { tokens: 0, left: 0, spentAt: -1, waiting: 0, leasing: undefined };
    this.blocks.set(subject, block);
    return block;
  }

  private async spend(subject: string, window: number, limit: number, block: Block): Promise<boolean> {
    block.waiting += 1;
    try {
      while (block.tokens === 0 && limit > block.spentAt) {
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

  private async lease(subject: string, window: number, limit: number, block: Block): Promise<void> {
    const wanted = Math.max(1, Math.floor(limit / BLOCKS), block.waiting);
    const { got, left } = await this.allowances.lease(subject, window, limit, wanted);
    block.tokens += got;
    block.left = left;
    if (got === 0) block.spentAt = limit;
  }
}
