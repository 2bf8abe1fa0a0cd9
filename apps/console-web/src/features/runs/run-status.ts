import type { RunAnswerItem } from '../../api/generated/console-api';
import type { Look } from '../../common/status-badge';

export type RunStatus = RunAnswerItem['status'];
export type RunTrigger = RunAnswerItem['trigger'];

/** The statuses, in the order in which the filter offers them. */
export const RUN_STATUSES = [
  'queued',
  'running',
  'success',
  'terminated',
  'error',
  'stopped',
  'unknown',
] as const satisfies RunStatus[];

export const TRIGGERS = ['manual', 'api', 'webhook', 'schedule', 'debug'] as const satisfies RunTrigger[];

export type ShownStatus = RunStatus | 'paused';

export const STATUS_LOOKS: Record<ShownStatus, Look> = {
  queued: 'waiting',
  running: 'active',
  paused: 'paused',
  success: 'good',
  terminated: 'good',
  error: 'bad',
  stopped: 'warning',
  unknown: 'warning',
};

/** A paused run has the status `running`; the page shows it as paused. */
export function shownStatus({ status, paused }: { status: RunStatus; paused?: true }): ShownStatus {
  return paused && status === 'running' ? 'paused' : status;
}

/** Whether the run may still change: an `unknown` one was sent to an agent that has not confirmed it yet (contract 3.1). */
export function isActive(status: RunStatus): boolean {
  return status === 'queued' || status === 'running' || status === 'unknown';
}
