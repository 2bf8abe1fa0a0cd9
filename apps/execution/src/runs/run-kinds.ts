import { FAILED_STATUSES, TRIGGER_KINDS, type RunFilter } from '@batuta/contracts';
import type { RunKind, VisibleRuns } from './visible-runs';

/**
 * The kinds of runs among which are all runs that a filter shows; undefined when the filter does not narrow them, so that one range of all runs
 * of a process serves it better.
 */
export function kindsOf({ statuses, triggers }: RunFilter): RunKind[] | undefined {
  const isShown = (failed: boolean) =>
    statuses === undefined || statuses.some((status) => FAILED_STATUSES.includes(status) === failed);
  if (!triggers && isShown(false)) return undefined;
  const failures = [true, false].filter(isShown);
  return (triggers ?? TRIGGER_KINDS).flatMap((trigger) => failures.map((failed) => ({ trigger, failed })));
}

/** Whether a filter shows every one of the runs, so that none of them is read in vain. */
export function areAllShown({ kind }: VisibleRuns, { statuses, triggers, environmentID }: RunFilter): boolean {
  if (environmentID !== undefined) return false;
  if (!kind) return statuses === undefined && triggers === undefined;
  return statuses === undefined || (kind.failed && FAILED_STATUSES.every((status) => statuses.includes(status)));
}
