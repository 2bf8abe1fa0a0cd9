import { setTimeout as sleep } from 'node:timers/promises';

export interface ByteRateLimits {
  bytesPerSecond: number;
  /** What a tenant may take at once after it took nothing for a while. */
  burstBytes: number;
}

const MAX_TENANTS = 10_000;

/**
 * A token bucket of bytes for each tenant: large work costs processor time that all tenants of a process share, so that one must
 * not do as much of it as it likes. Bytes that exceed the burst wait for their turn; a single larger one is not refused for ever.
 */
export class ByteRate {
  /** When the bytes that a tenant has taken are paid for, in milliseconds on the monotonic clock. */
  private readonly paidAt = new Map<string, number>();

  constructor(
    private readonly limits: ByteRateLimits,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Takes the bytes if their turn comes within `maxWaitMs`, and returns how long to wait for it; else undefined. */
  take(tenant: string, bytes: number, maxWaitMs = 0): number | undefined {
    const waitMs = this.waitMs(tenant);
    if (waitMs > maxWaitMs) return undefined;
    this.add(tenant, bytes);
    return waitMs;
  }

  /** Takes the bytes and waits for their turn; false, and nothing is taken, when it comes only after `maxWaitMs`. */
  async turn(tenant: string, bytes: number, maxWaitMs: number): Promise<boolean> {
    const waitMs = this.take(tenant, bytes, maxWaitMs);
    if (waitMs) await sleep(waitMs);
    return waitMs !== undefined;
  }

  /** How long the next bytes of a tenant would wait. */
  waitMs(tenant: string): number {
    const burstMs = this.milliseconds(this.limits.burstBytes);
    return Math.max(0, (this.paidAt.get(tenant) ?? 0) - burstMs - this.now());
  }

  /** Takes bytes whose size is known only after the work; the next ones wait for them. */
  add(tenant: string, bytes: number): void {
    const now = this.now();
    if (this.paidAt.size >= MAX_TENANTS) this.forgetPaid(now);
    this.paidAt.set(tenant, Math.max(now, this.paidAt.get(tenant) ?? 0) + this.milliseconds(bytes));
  }

  private milliseconds(bytes: number): number {
    return (bytes / this.limits.bytesPerSecond) * 1_000;
  }

  private forgetPaid(now: number): void {
    for (const [tenant, paidAt] of this.paidAt) if (paidAt <= now) this.paidAt.delete(tenant);
  }
}
