import type { ProcessSummary } from '../../api/generated/console-api';
import type { Look } from '../../common/status-badge';

export const PROCESS_STATES = ['active', 'unpublished', 'paused', 'inactive'] as const;
export type ProcessState = (typeof PROCESS_STATES)[number];

/** Icon and colour of each state's badge. */
export const STATE_LOOKS: Record<ProcessState, Look> = {
  active: 'good',
  unpublished: 'waiting',
  paused: 'paused',
  inactive: 'bad',
};

/** The one state that is shown of a process: inactive (no start), unpublished (no version yet), paused (its schedules do not start it) or active. */
export function processStateOf({ active, paused, currentVersion }: ProcessSummary): ProcessState {
  if (!active) return 'inactive';
  if (currentVersion === 0) return 'unpublished';
  return paused ? 'paused' : 'active';
}
