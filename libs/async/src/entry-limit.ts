/**
 * The options that limit an LRUCache to `count` entries, each of size 1. They replace its option `max`, which would preallocate the arrays
 * of all entries: 200 KB for 10,000 entries, and 160 KB more with a time to live.
 */
export function entryLimit(count: number): { maxSize: number; sizeCalculation: () => number } {
  return { maxSize: count, sizeCalculation: () => 1 };
}
