import { entryLimit } from '@batuta/async';
import { LRUCache } from 'lru-cache';

/** How long the size of an answer predicts the sizes of its route's next answers. */
const TIME_TO_LIVE_MS = 10_000;
const MAX_ENTRIES = 10_000;

/** The size of the largest answer of each route to each tenant within the last seconds; it predicts the size of the next answer. */
export class ExpectedSizes {
  private readonly sizes: LRUCache<string, number>;

  /** `now` = milliseconds of the monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.sizes = new LRUCache({ ...entryLimit(MAX_ENTRIES), ttl: TIME_TO_LIVE_MS, ttlResolution: 0, perf: { now } });
  }

  /**
   * The largest size that is remembered, 0 when only small answers are; undefined before the first answer, and from TIME_TO_LIVE_MS after that
   * size was noted, even if smaller answers, or only small ones, have followed.
   */
  bytesOf(tenant: string, route: string): number | undefined {
    return this.sizes.get(keyOf(tenant, route));
  }

  /**
   * Notes the size of an answer, 0 for a small one. A size below the remembered one, and a further 0, neither replace it nor prolong the time
   * for which it is kept.
   */
  note(tenant: string, route: string, bytes: number): void {
    const key = keyOf(tenant, route);
    const largest = this.sizes.get(key);
    if (largest === undefined || (bytes > 0 && bytes >= largest)) this.sizes.set(key, bytes);
  }
}

function keyOf(tenant: string, route: string): string {
  return `${tenant} ${route}`;
}
