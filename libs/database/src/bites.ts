import type { Store } from './store';

/** Others may wait for the locks of a bite: a quarter of the 100 ms that nobody may wait, because the times of bites vary. */
const TARGET_MS = 25;
const LEAST_ROWS = 20;
const FIRST_ROWS = 50;
const MOST_ROWS = 500;

/**
 * How many rows one transaction of long work takes, so that its locks delay no other transaction for longer than a moment. The
 * time that a bite took decides the size of the next one: fewer rows on a busy server, more on an idle one.
 */
export class BiteSize {
  private current = FIRST_ROWS;

  constructor(private readonly now = () => performance.now()) {}

  get rows(): number {
    return this.current;
  }

  /** Runs `bite` with the number of rows that it may take; returns the number that it took. */
  async run(bite: (rows: number) => Promise<number>): Promise<number> {
    const rows = this.current;
    const began = this.now();
    let took = 0;
    try {
      took = await bite(rows);
      return took;
    } finally {
      this.steer(rows, took, this.now() - began);
    }
  }

  /** The size falls at once to what the time allows and at most doubles. A bite that found fewer rows does not raise it. */
  private steer(rows: number, took: number, ms: number): void {
    const allowed = Math.floor((rows * TARGET_MS) / Math.max(ms, 1));
    const highest = took < rows ? rows : 2 * rows;
    this.current = Math.max(LEAST_ROWS, Math.min(allowed, highest, MOST_ROWS));
  }
}

export interface BiteOptions {
  /** No bite begins once all bites together have taken this number of rows. */
  maxRows?: number;
  /** No bite begins once it returns true. */
  isStopping?: () => boolean;
  /** To share the size with other work on the same rows. */
  size?: BiteSize;
}

/**
 * Long work in bites, each a transaction of its own that takes up to `rows` rows and returns how many it took; a bite that takes
 * fewer is the last one. Returns the number of all rows.
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
