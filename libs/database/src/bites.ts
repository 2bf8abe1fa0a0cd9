import { setTimeout as sleep } from 'node:timers/promises';
import type { Store } from './store';

/**
 * Intended time of one bite. Other transactions may wait at most 100 ms for its locks; the target is a quarter of that,
 * because the times vary.
 */
const TARGET_BITE_MS = 25;
const MIN_ROWS = 20;
const FIRST_ROWS = 50;
const MAX_ROWS = 500;
/** The rest after a bite is this many times as long as the bite, so that long work takes at most a third of the server's processor. */
const REST_TO_BITE_RATIO = 2;
/** Longest rest; a bite that waited for a lock did not use the processor for its whole time. */
const MAX_REST_MS = 200;

/**
 * Decides how many rows one transaction of long work takes, so that its locks delay other transactions only for a
 * moment. The time of each bite decides the size of the next bite, fewer rows on a busy server and more on an idle one,
 * and the rest between the two.
 */
export class BiteSize {
  private current = FIRST_ROWS;

  constructor(
    private readonly now = () => performance.now(),
    private readonly rest: (milliseconds: number) => Promise<unknown> = sleep,
  ) {}

  get rows(): number {
    return this.current;
  }

  /**
   * Runs `bite` with the number of rows that it may take; returns the number that it took. Rests after a bite that took all of them,
   * because then another bite usually follows.
   */
  async run(bite: (rows: number) => Promise<number>): Promise<number> {
    const rows = this.current;
    const began = this.now();
    let took = 0;
    try {
      took = await bite(rows);
    } finally {
      this.adapt(rows, took, this.now() - began);
    }
    if (took === rows) await this.rest(Math.min(REST_TO_BITE_RATIO * (this.now() - began), MAX_REST_MS));
    return took;
  }

  /**
   * Adapts the size: it falls at once to what the target time allows, and at most doubles. A bite that found fewer rows
   * than it might have taken does not raise the size.
   */
  private adapt(rows: number, took: number, ms: number): void {
    const allowed = Math.floor((rows * TARGET_BITE_MS) / Math.max(ms, 1));
    const highest = took < rows ? rows : 2 * rows;
    this.current = Math.max(MIN_ROWS, Math.min(allowed, highest, MAX_ROWS));
  }
}

export interface BiteOptions {
  /** No bite begins once all bites together have taken this number of rows. */
  maxRows?: number;
  /** No bite begins once this function returns true. */
  isStopping?: () => boolean;
  /** A bite size that other work on the same rows shares. */
  size?: BiteSize;
}

/**
 * Runs long work in bites. Each bite is a transaction of its own that takes up to `rows` rows and returns how many it took; a bite that
 * takes fewer is the last one. Returns the number of rows of all bites.
 */
export async function inBites(
  bite: (rows: number) => Promise<number>,
  { maxRows = Infinity, isStopping = () => false, size = new BiteSize() }: BiteOptions = {},
): Promise<number> {
  let total = 0;
  while (total < maxRows && !isStopping()) {
    let allowed = 0;
    const took = await size.run((rows) => bite((allowed = rows)));
    total += took;
    if (took < allowed) break;
  }
  return total;
}

/**
 * Runs a DELETE in bites, each repeated after a deadlock; the last `?` of `sql` is the LIMIT, which `parameters` leaves out.
 * Returns the number of rows.
 */
export function deleteInBites(
  store: Store,
  sql: string,
  parameters: unknown[],
  options?: BiteOptions,
): Promise<number> {
  return inBites(async (rows) => {
    const { affectedRows } = await store.transaction((tx) => tx.write(sql, [...parameters, rows]));
    return affectedRows;
  }, options);
}
