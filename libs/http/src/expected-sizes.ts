/** How long the size of an answer predicts the sizes of its route's next answers. */
const KEPT_MS = 10_000;
const MAX_ENTRIES = 10_000;

/** The largest answer of each route to each tenant within the last seconds, which predicts the next one. */
export class ExpectedSizes {
  private readonly sizes = new Map<string, { bytes: number; until: number }>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  get isEmpty(): boolean {
    return this.sizes.size === 0;
  }

  /** 0 when the route has not answered the tenant lately. */
  bytesOf(tenant: string, route: string): number {
    const key = keyOf(tenant, route);
    const size = this.sizes.get(key);
    if (!size) return 0;
    if (size.until > this.now()) return size.bytes;
    this.sizes.delete(key);
    return 0;
  }

  note(tenant: string, route: string, bytes: number): void {
    if (this.sizes.size >= MAX_ENTRIES) this.forgetOld();
    const largest = Math.max(bytes, this.bytesOf(tenant, route));
    this.sizes.set(keyOf(tenant, route), { bytes: largest, until: this.now() + KEPT_MS });
  }

  private forgetOld(): void {
    for (const [key, { until }] of this.sizes) if (until <= this.now()) this.sizes.delete(key);
  }
}

function keyOf(tenant: string, route: string): string {
  return `${tenant} ${route}`;
}
