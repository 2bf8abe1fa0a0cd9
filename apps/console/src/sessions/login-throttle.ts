import { ApiError } from '@batuta/errors';
import { LRUCache } from 'lru-cache';

const WINDOW = 60_000;
const MOST_KEYS = 50_000;

interface Failures {
  count: number;
  until: number;
}

/** Counts refused logins by address and by e-mail, in windows of a minute that begin with the first failure. */
export class LoginThrottle {
  private readonly failures = new LRUCache<string, Failures>({ max: MOST_KEYS });

  constructor(private readonly most: number) {}

  /** Throws RATE_LIMITED once one of the keys has failed too often. `now` in epoch milliseconds. */
  check(keys: string[], now: number): void {
    const full = keys.some((key) => this.countOf(key, now) >= this.most);
    if (full) throw new ApiError('RATE_LIMITED', 'Too many refused logins; wait a minute.');
  }

  failed(keys: string[], now: number): void {
    for (const key of keys) {
      const known = this.failures.get(key);
      if (known && known.until > now) known.count += 1;
      else this.failures.set(key, { count: 1, until: now + WINDOW });
    }
  }

  private countOf(key: string, now: number): number {
    const known = this.failures.get(key);
    return known && known.until > now ? known.count : 0;
  }
}
