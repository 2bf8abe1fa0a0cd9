import { ApiError } from '@batuta/errors';
import type { ProcessFacts, ScheduleFacts } from '../processes/process.repository';

/**
 * Throws FORBIDDEN when the creator may no longer schedule the process (interpretation 50), and otherwise what
 * `requireScheduling` throws.
 */
export function requireMayFire(facts: ScheduleFacts): void {
  requireCreatorMaySchedule(facts);
  requireScheduling(facts);
}

/** Throws FORBIDDEN when the creator of the schedule may no longer schedule the process (interpretation 50). */
export function requireCreatorMaySchedule({ creatorMaySchedule }: Pick<ScheduleFacts, 'creatorMaySchedule'>): void {
  if (creatorMaySchedule) return;
  const message =
    'Who created the schedule may no longer schedule the process; it can only be switched off and removed.';
  throw new ApiError('FORBIDDEN', message);
}

/** Throws PLAN_FEATURE_UNAVAILABLE unless the plan of the process's company has scheduling. */
export function requireScheduling({ scheduling }: ProcessFacts): void {
  if (scheduling) return;
  const message = 'The plan of the company that owns the process does not include scheduling.';
  throw new ApiError('PLAN_FEATURE_UNAVAILABLE', message);
}
