export interface ByteRateLimits {
  bytesPerSecond: number;
  /** A tenant takes bytes without a wait while those that it has taken ahead of its rate are at most this number. */
  burstBytes: number;
}

/** From this number of tenants on, those whose buckets are full are forgotten. */
const TENANTS_BEFORE_CLEANUP = 10_000;

/**
 * A token bucket of bytes for each tenant. Large work costs processor time that all tenants of this OS process share, so the work of one
 * tenant per second is bounded. An amount of any size waits only until earlier amounts no longer exceed the burst; its own bytes delay only the
 * tenant's next amount.
 */
export class ByteRate {
  /** By tenant: the time at which its bucket is full again, in milliseconds on the monotonic clock. */
  private readonly fullAt = new Map<string, number>();

  constructor(
    private readonly limits: ByteRateLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /**
   * Takes the bytes if their turn comes within `maxWaitMs` and returns the milliseconds that the caller itself must wait before it uses them;
   * otherwise takes nothing and returns undefined. Earlier amounts alone decide the wait, and not `bytes`.
   */
  take(tenant: string, bytes: number, maxWaitMs = 0): number | undefined {
    const waitMs = this.waitMs(tenant);
    if (waitMs > maxWaitMs) return undefined;
    this.add(tenant, bytes);
    return waitMs;
  }

  /** Milliseconds that the tenant's next bytes would wait if another `bytesBefore` bytes were taken before them. */
  waitMs(tenant: string, bytesBefore = 0): number {
    const now = this.now();
    const fullAt = Math.max(now, this.fullAt.get(tenant) ?? 0);
    return Math.max(0, fullAt + this.milliseconds(bytesBefore - this.limits.burstBytes) - now);
  }

  /** Takes bytes whose number is known only after the work; the tenant's next bytes wait for them. */
  add(tenant: string, bytes: number): void {
    const now = this.now();
    if (this.fullAt.size >= TENANTS_BEFORE_CLEANUP) this.forgetFullBuckets(now);
    this.fullAt.set(tenant, Math.max(now, this.fullAt.get(tenant) ?? 0) + this.milliseconds(bytes));
  }

  private milliseconds(bytes: number): number {
    return (bytes / this.limits.bytesPerSecond) * 1_000;
  }

  private forgetFullBuckets(now: number): void {
    for (const [tenant, fullAt] of this.fullAt) if (fullAt <= now) this.fullAt.delete(tenant);
  }
}
