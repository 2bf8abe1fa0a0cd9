import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const ADDRESSES = 10_000;

/** Counts refused keys per address and minute, so that guessing stays slow. Holds a bounded number of addresses. */
export class FailingAddresses {
  private readonly windows = new LRUCache<string, { since: number; failures: number }>({ max: ADDRESSES });

  constructor(private readonly perMinute: number) {}

  /** Milliseconds until the address may try again; 0 = now. */
  waitOf(address: string, now: number): number {
    const window = this.windows.get(address);
    if (!window || now - window.since >= WINDOW_MS || window.failures < this.perMinute) return 0;
    return window.since + WINDOW_MS - now;
  }

  failed(address: string, now: number): void {
    const window = this.windows.get(address);
    if (window && now - window.since < WINDOW_MS) window.failures += 1;
    else this.windows.set(address, { since: now, failures: 1 });
  }
}
