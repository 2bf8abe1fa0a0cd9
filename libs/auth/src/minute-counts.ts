import { entryLimit } from '@batuta/async';
import { LRUCache } from 'lru-cache';

const WINDOW_MS = 60_000;
const MAX_COUNTED_KEYS = 50_000;

/**
 * A throttle: counts events per key (an address, an account), such as failed logins, in windows of one minute, each of which begins with its first
 * event. The counts are those of this replica, and of at most MAX_COUNTED_KEYS keys. `now` is in epoch milliseconds.
 */
export class MinuteCounts {
  private readonly windows = new LRUCache<string, { since: number; events: number }>(entryLimit(MAX_COUNTED_KEYS));

  constructor(private readonly perMinute: number) {}

  /** Milliseconds until all of the keys are below their limit; 0 = they are now. */
  waitMsOf(keys: readonly string[], now: number): number {
    return Math.max(0, ...keys.map((key) => this.waitMsOfOne(key, now)));
  }

  record(keys: readonly string[], now: number): void {
    for (const key of keys) {
      const window = this.windows.get(key);
      if (window && isCurrent(window, now)) window.events += 1;
      else this.windows.set(key, { since: now, events: 1 });
    }
  }

  private waitMsOfOne(key: string, now: number): number {
    const window = this.windows.get(key);
    return window && isCurrent(window, now) && window.events >= this.perMinute ? window.since + WINDOW_MS - now : 0;
  }
}

/** False also for a window from before the clock was set back: it would last until the clock has passed it again. */
function isCurrent({ since }: { since: number }, now: number): boolean {
  return since <= now && now < since + WINDOW_MS;
}
