import { LRUCache } from 'lru-cache';

/** How long the size of an answer predicts the sizes of its route's next answers. */
const KEPT_MS = 10_000;
const MAX_ENTRIES = 10_000;

/** The largest answer of each route to each tenant within the last seconds, which predicts the next one. */
export class ExpectedSizes {
  private readonly sizes: LRUCache<string, number>;

  /** `now` = milliseconds of the monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.sizes = new LRUCache({ max: MAX_ENTRIES, ttl: KEPT_MS, ttlResolution: 0, perf: { now } });
  }

  /** Undefined when the route has not answered the tenant lately. */
  bytesOf(tenant: string, route: string): number | undefined {
    return this.sizes.get(keyOf(tenant, route));
  }

  /** A size that the route has exceeded lately changes nothing, so that a large answer is remembered for its own time only. */
  note(tenant: string, route: string, bytes: number): void {
    const key = keyOf(tenant, route);
    const largest = this.sizes.get(key);
    if (largest === undefined || (bytes > 0 && bytes >= largest)) this.sizes.set(key, bytes);
  }
}

function keyOf(tenant: string, route: string): string {
  return `${tenant} ${route}`;
}
