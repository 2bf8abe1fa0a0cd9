import type { Store } from '@batuta/database';

/** `2026-11-20T12:00:00.000Z@60` */
export const CLOCK_FORM = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})Z@(\d{1,4})$/;

const DATABASE_CLOCK = 'UTC_TIMESTAMP(3)';

/**
 * By which nominal times come due: the database's clock, the same for every replica. Leases and what is agreed with
 * execution go by the database's own clock in any case.
 */
export class Clock {
  constructor(private readonly expression: () => string) {}

  /** Of the setting SCHEDULE_TEST_CLOCK, or the database's. */
  static of(setting: string | undefined): Clock {
    const [, day, time, speed] = CLOCK_FORM.exec(setting ?? '') ?? [];
    if (setting === undefined) return new Clock(() => DATABASE_CLOCK);
    const gained = `TIMESTAMPDIFF(MICROSECOND, '${day} ${time}', ${DATABASE_CLOCK}) * (${speed} - 1)`;
    return new Clock(() => `${DATABASE_CLOCK} + INTERVAL ${gained} MICROSECOND`);
  }

  /** `now` = by which times come due; `real` = the database's own clock. Without a test's clock they are the same. */
  async read(store: Store): Promise<{ now: Date; real: Date }> {
    const times = await store.row<{ now: Date; real: Date }>(
      `SELECT CAST(${this.expression()} AS DATETIME(3)) AS \`now\`, ${DATABASE_CLOCK} AS \`real\``,
    );
    if (!times) throw new Error('The database did not tell the time');
    return times;
  }

  async now(store: Store): Promise<Date> {
    return (await this.read(store)).now;
  }
}
