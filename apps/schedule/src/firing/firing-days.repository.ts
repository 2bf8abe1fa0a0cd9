import type { FiringResult } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { ZoneDay } from '../cron/month-days';

export type FiringCounts = Partial<Record<FiringResult, number>>;

/** The number of recorded firings by result, for each of several consecutive days; results without a firing are missing. */
export async function firingsByDay(store: Store, scheduleID: string, days: ZoneDay[]): Promise<FiringCounts[]> {
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) return [];
  // INTERVAL() returns how many ends of days are not after the nominal time, which is the index of its day.
  const rows = await store.rows<{ day_index: number; result: FiringResult; firings: number }>(
    `SELECT INTERVAL(TIMESTAMPDIFF(SECOND, '1970-01-01', nominal_at), ?) AS day_index, result, COUNT(*) AS firings
       FROM schedule_firing WHERE schedule_id = ? AND nominal_at >= ? AND nominal_at < ?
      GROUP BY day_index, result`,
    [days.map(({ until }) => until / 1_000), scheduleID, new Date(first.from), new Date(last.until)],
  );
  const counts: FiringCounts[] = days.map(() => ({}));
  for (const { day_index: index, result, firings } of rows) {
    const day = counts[index];
    if (day) day[result] = firings;
  }
  return counts;
}
