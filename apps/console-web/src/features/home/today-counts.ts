import type { HomeAnswer, RunCount } from '../../api/generated/console-api';
import { beginsDay } from '../../common/day';
import { sumsOf } from './chart-points';

/**
 * Of the runs that were accepted today in São Paulo, without debug runs, the counts of those that ended well and that failed; `more` = only the
 * newest part of the day was counted, so there may be more.
 */
export function countsOfToday({ outcomes, since }: HomeAnswer['today']): Record<'good' | 'failed', RunCount> {
  const { good, failed } = sumsOf(outcomes);
  const more = !beginsDay(new Date(since));
  return { good: { count: good, more }, failed: { count: failed, more } };
}
