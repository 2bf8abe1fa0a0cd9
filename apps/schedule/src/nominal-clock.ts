import type { Store } from '@batuta/database';

/**
 * Format of a test clock; `2026-11-20T12:00:00.000Z@60` agreed with the real time at this instant and runs 60 times as
 * fast.
 */
export const TEST_CLOCK_FORMAT = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})Z@(\d{1,4})$/;

const DATABASE_CLOCK = 'UTC_TIMESTAMP(3)';

/** One reading of the clocks. Without a test clock both times are equal. */
export interface ClockReading {
  /** The time that decides which nominal times are due. */
  now: Date;
  /** The database's own clock: for leases, deadlines and time stamps. */
  real: Date;
}

/** The clock that decides which nominal times are due. It is read in the database, so that all replicas agree. */
export class NominalClock {
  /** `expression` returns the SQL expression of the current time in UTC. */
  constructor(private readonly expression: () => string) {}

  /** The clock of the setting SCHEDULE_TEST_CLOCK, or the database's own clock without that setting. */
  static fromSetting(setting: string | undefined): NominalClock {
    const [, day, time, speed] = TEST_CLOCK_FORMAT.exec(setting ?? '') ?? [];
    if (setting === undefined) return new NominalClock(() => DATABASE_CLOCK);
    const gained = `TIMESTAMPDIFF(MICROSECOND, '${day} ${time}', ${DATABASE_CLOCK}) * (${speed} - 1)`;
    return new NominalClock(() => `${DATABASE_CLOCK} + INTERVAL ${gained} MICROSECOND`);
  }

  async read(store: Store): Promise<ClockReading> {
    const reading = await store.row<ClockReading>(
      `SELECT CAST(${this.expression()} AS DATETIME(3)) AS \`now\`, ${DATABASE_CLOCK} AS \`real\``,
    );
    if (!reading) throw new Error('the database returned no time');
    return reading;
  }
}
