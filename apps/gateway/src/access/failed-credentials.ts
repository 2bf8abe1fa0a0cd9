import { LRUCache } from 'lru-cache';

const MINUTE = 60_000;
const ADDRESSES = 50_000;

/**
 * Counts wrong credentials per address and minute, in this replica. An address that has used up its number is refused
 * before its credentials are looked at, so that guessing costs the database nothing (reading 18).
 */
export class FailedCredentials {
  private readonly counts = new LRUCache<string, { minute: number; failures: number }>({ max: ADDRESSES });

  constructor(
    private readonly perMinute: number,
    private readonly now: () => number,
  ) {}

  /** Seconds until the address may try again; 0 = now. */
  waitSeconds(address: string): number {
    const count = this.counts.get(address);
    const now = this.now();
    if (!count || count.minute !== Math.floor(now / MINUTE) || count.failures < this.perMinute) return 0;
    return Math.ceil(((count.minute + 1) * MINUTE - now) / 1_000);
  }

  record(address: string): void {
    const minute = Math.floor(this.now() / MINUTE);
    const count = this.counts.get(address);
    if (count?.minute === minute) count.failures += 1;
    else this.counts.set(address, { minute, failures: 1 });
  }
}
