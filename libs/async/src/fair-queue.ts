/**
 * Items that wait, by tenant. Tenants take turns, whatever number of items each has; the items of one tenant keep their
 * order. The iterator yields the items without removing them.
 */
export class FairQueue<Item> {
  /** The tenants are in the order of their turns. */
  private readonly waiting = new Map<string, Set<Item>>();
  private count = 0;

  get size(): number {
    return this.count;
  }

  sizeOf(tenant: string): number {
    return this.waiting.get(tenant)?.size ?? 0;
  }

  add(tenant: string, item: Item): void {
    const items = this.waiting.get(tenant) ?? new Set();
    this.waiting.set(tenant, items.add(item));
    this.count += 1;
  }

  remove(tenant: string, item: Item): void {
    const items = this.waiting.get(tenant);
    if (!items?.delete(item)) return;
    this.count -= 1;
    if (items.size === 0) this.waiting.delete(tenant);
  }

  /**
   * Removes and returns the oldest item of the next tenant for which `mayRun` is true, undefined when there is none. The tenant's next turn
   * comes after those of all others; a tenant that is passed over keeps its turn.
   */
  next(mayRun: (tenant: string) => boolean = () => true): Item | undefined {
    for (const [tenant, items] of this.waiting) {
      const [oldest] = items;
      if (oldest === undefined || !mayRun(tenant)) continue;
      this.remove(tenant, oldest);
      if (this.waiting.delete(tenant)) this.waiting.set(tenant, items);
      return oldest;
    }
    return undefined;
  }

  /** Removes and returns the newest item of the tenant with the most items; undefined if that tenant has `maxItems` or fewer. */
  removeFromLongest(maxItems: number): Item | undefined {
    const [longest] = [...this.waiting].toSorted(([, some], [, others]) => others.size - some.size);
    if (!longest || longest[1].size <= maxItems) return undefined;
    const newest = [...longest[1]].at(-1);
    if (newest !== undefined) this.remove(longest[0], newest);
    return newest;
  }

  *[Symbol.iterator](): Generator<Item> {
    for (const items of this.waiting.values()) yield* items;
  }
}
