import type { Store } from './store';

/** Longest round trip of a reading; a slower one is too inexact, and is only used when there is no other. */
const MAX_ROUND_TRIP_MS = 1_000;

/**
 * The database's time, for deadlines that another service checks: the clocks of two machines may differ, and a machine
 * may set its own. Between two readings this clock advances with the monotonic clock.
 */
export class DatabaseClock {
  private constructor(
    private readonly store: Store,
    private offset: number,
  ) {}

  /** Reads the time twice when the first reading was slow, as on a machine that is busy with the start of many programs. */
  static async read(store: Store): Promise<DatabaseClock> {
    const { offset, roundTripMs } = await readOffset(store);
    const clock = new DatabaseClock(store, offset);
    if (roundTripMs > MAX_ROUND_TRIP_MS) await clock.refresh();
    return clock;
  }

  /** Epoch milliseconds. */
  now(): number {
    return Math.round(performance.now() + this.offset);
  }

  /** Reads the time again, and drops a reading whose round trip took longer than MAX_ROUND_TRIP_MS. */
  async refresh(): Promise<void> {
    const { offset, roundTripMs } = await readOffset(this.store);
    if (roundTripMs <= MAX_ROUND_TRIP_MS) this.offset = offset;
  }
}

async function readOffset(store: Store): Promise<{ offset: number; roundTripMs: number }> {
  const before = performance.now();
  const row = await store.row<{ now: Date }>('SELECT UTC_TIMESTAMP(3) AS now');
  const after = performance.now();
  if (!row) throw new Error('The database has no time');
  return { offset: row.now.getTime() - (before + after) / 2, roundTripMs: after - before };
}
