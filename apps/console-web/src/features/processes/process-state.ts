import type { ProcessSummary } from '../../api/generated/console-api';
import type { Look } from '../../common/status-badge';

export const PROCESS_STATES = ['active', 'unpublished', 'paused', 'inactive'] as const;
export type ProcessState = (typeof PROCESS_STATES)[number];

export const STATE_LOOKS: Record<ProcessState, Look> = {
  active: 'good',
  unpublished: 'waiting',
  paused: 'paused',
  inactive: 'bad',
};

/** The state of a process: the strongest reason that keeps it from running, or `active`. */
export function stateOf({ active, paused, currentVersion }: ProcessSummary): ProcessState {
  if (!active) return 'inactive';
  if (currentVersion === 0) return 'unpublished';
  return paused ? 'paused' : 'active';
}
