import type { HomeAnswer, RunCount } from '../../api/generated/console-api';
import { beginsDay } from '../../common/day';
import { sumsOf } from './chart-points';

/** The counts of today's runs that ended well and that failed; `more` = only the newest part of the day was counted, so there may be more. */
export function countsOfToday({ outcomes, since }: HomeAnswer['today']): Record<'good' | 'failed', RunCount> {
  const { good, failed } = sumsOf(outcomes);
  const more = !beginsDay(new Date(since));
  return { good: { count: good, more }, failed: { count: failed, more } };
}
