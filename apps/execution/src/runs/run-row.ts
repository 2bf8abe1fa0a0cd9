import type { Run } from '@batuta/contracts';
import type { InstanceRow } from '../instances/instance-row';

/** Length to which a run shortens its error message; the status of the instance has all of it. */
const MAX_MESSAGE_CHARACTERS = 500;

/** The columns of `instance` that make a Run, in lists and in the details of one run; `error_message` shortened. */
export const RUN_COLUMNS = `instance_id, process_id, process_name, environment_id, version, trigger_kind, user_name, status, outcome,
  desired, accepted_at, started_at, finished_at, error_step, LEFT(error_message, ${MAX_MESSAGE_CHARACTERS}) AS error_message, retry_of`;

/** A row with RUN_COLUMNS. */
export type RunRow = Pick<
  InstanceRow,
  | 'instance_id'
  | 'process_id'
  | 'process_name'
  | 'environment_id'
  | 'version'
  | 'trigger_kind'
  | 'user_name'
  | 'status'
  | 'outcome'
  | 'desired'
  | 'accepted_at'
  | 'started_at'
  | 'finished_at'
  | 'error_step'
  | 'error_message'
> & { retry_of: string | null };

export function toRun(row: RunRow): Run {
  const { started_at: startedAt, finished_at: finishedAt } = row;
  return {
    instanceID: row.instance_id,
    processID: row.process_id,
    processName: row.process_name,
    status: row.status,
    outcome: row.outcome,
    ...(row.status === 'running' && row.desired === 'pause' && { paused: true as const }),
    trigger: row.trigger_kind,
    userName: row.user_name,
    environmentID: row.environment_id,
    version: row.version,
    acceptedAt: row.accepted_at.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    durationMs: startedAt && finishedAt ? Math.max(0, finishedAt.getTime() - startedAt.getTime()) : null,
    errorStep: row.error_step,
    errorMessage: row.error_message,
    retryOf: row.retry_of,
  };
}
