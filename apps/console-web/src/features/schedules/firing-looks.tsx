import type { CalendarDayAnswer, FiringAnswer } from '../../api/generated/console-api';
import type { Look } from '../../common/status-badge';

export type FiringResult = FiringAnswer['result'];

export const FIRING_LOOKS: Record<FiringResult, Look> = {
  pending: 'waiting',
  fired: 'good',
  late: 'warning',
  skipped: 'paused',
  failed: 'bad',
};

/** In the order in which a day shows them. */
const RESULTS: readonly FiringResult[] = ['fired', 'late', 'failed', 'skipped', 'pending'];

/** The results that firings of a day have, each with their number. */
export function firingResultsOf({ firings }: CalendarDayAnswer): { result: FiringResult; count: number }[] {
  return RESULTS.flatMap((result) => {
    const count = firings[result] ?? 0;
    return count === 0 ? [] : [{ result, count }];
  });
}

/** Whether a day has firings or nominal times to come. */
export const hasTimes = (day: CalendarDayAnswer): boolean => firingResultsOf(day).length > 0 || day.upcoming.length > 0;
