import { schedule, type Schedule } from '@batuta/contracts';
import type { ScheduleWorld } from './world';

/** The next nominal time of a schedule; null when the schedule fires no more or is inactive, undefined when it does not exist. */
export async function nextTimeOf({ store }: ScheduleWorld, id: string): Promise<Date | null | undefined> {
  return (await store.row<{ next_at: Date | null }>('SELECT next_at FROM schedule WHERE schedule_id = ?', [id]))
    ?.next_at;
}

/** All schedules that the account sees, read page by page. */
export async function listSchedules({ rpc }: ScheduleWorld, accountID: string): Promise<Schedule[]> {
  const all: Schedule[] = [];
  for (let after: string | undefined; ; after = all.at(-1)?.id) {
    const { schedules, more } = await rpc.call(schedule.list, { accountID, after });
    all.push(...schedules);
    if (!more) return all;
  }
}
