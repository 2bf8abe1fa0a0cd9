import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const MOST_KEYS = 50_000;

/**
 * Counts failures by key (an address, an e-mail) in windows of a minute that begin with the first one, so that guessing
 * stays slow. In this replica only, and of a bounded number of keys. `now` is epoch milliseconds.
 */
export class FailureThrottle {
  private readonly windows = new LRUCache<string, { since: number; failures: number }>({ max: MOST_KEYS });

  constructor(private readonly perMinute: number) {}

  /** Milliseconds until none of the keys has failed too often any more; 0 = now. */
  waitOf(keys: readonly string[], now: number): number {
    return Math.max(0, ...keys.map((key) => this.waitOfOne(key, now)));
  }

  failed(keys: readonly string[], now: number): void {
    for (const key of keys) {
      const window = this.windows.get(key);
      if (window && now < window.since + WINDOW_MS) window.failures += 1;
      else this.windows.set(key, { since: now, failures: 1 });
    }
  }

  private waitOfOne(key: string, now: number): number {
    const window = this.windows.get(key);
    return window && window.failures >= this.perMinute ? window.since + WINDOW_MS - now : 0;
  }
}
