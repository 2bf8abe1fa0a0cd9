import type {
  DesiredState,
  HistoryItem,
  InstanceBody,
  InstanceStatus,
  LogLine,
  Outcome,
  Severity,
  TriggerKind,
} from '@batuta/contracts';
import { isActive } from './transition';

export interface InstanceRow {
  instance_id: string;
  process_id: string;
  process_name: string;
  owner_account_id: string;
  company_id: string;
  starter_account_id: string | null;
  environment_id: string;
  version_id: string;
  version: number;
  awaited: number;
  trigger_kind: TriggerKind;
  user_name: string;
  executor: string;
  request_id: string;
  status: InstanceStatus;
  outcome: Outcome | null;
  desired: DesiredState;
  fence: number;
  session_id: string | null;
  last_report: number;
  last_line: number;
  accepted_at: Date;
  started_at: Date | null;
  finished_at: Date | null;
  error_step: string | null;
  error_message: string | null;
  savings_value: string;
  fte_hours: number;
}

export interface LogRow {
  line: number;
  logged_at: Date;
  severity: Severity;
  message: string;
  step: string;
  evidence: string | null;
}

/** Contract 2.6b: `startedAt` is a number while in progress and text once ended (interpretation 7). */
export function instanceBody(row: InstanceRow): InstanceBody {
  const { processID, processName, instanceID } = identity(row);
  const startedAt = row.started_at ?? row.accepted_at;
  if (isActive(row.status)) {
    const paused = row.status === 'running' && row.desired === 'pause' ? { paused: true as const } : {};
    const userName = row.user_name;
    return {
      instanceID,
      processID,
      processName,
      status: row.status,
      userName,
      startedAt: startedAt.getTime(),
      ...paused,
    };
  }
  const { savingsValue, fteHours, finishedAt, durationSeconds } = historyItem(row);
  return {
    instanceID,
    processID,
    processName,
    status: row.status,
    startedAt: startedAt.toISOString(),
    finishedAt,
    durationSeconds,
    errorStep: row.error_step,
    errorMessage: row.error_message,
    savingsValue,
    fteHours,
    version: String(row.version),
  };
}

/** Contract 2.7, of an ended instance. One that never ran lasted no time (interpretation 46). */
export function historyItem(row: InstanceRow): HistoryItem {
  const startedAt = row.started_at ?? row.accepted_at;
  const finishedAt = row.finished_at ?? startedAt;
  const lasted = row.started_at === null ? 0 : Math.max(0, finishedAt.getTime() - startedAt.getTime());
  return {
    ...identity(row),
    status: row.status,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    durationSeconds: Math.round(lasted / 1_000),
    savingsValue: Number(row.savings_value),
    fteHours: row.fte_hours,
  };
}

/** Contract 2.8. */
export function logLine(row: LogRow, instance: InstanceRow): LogLine {
  return {
    timestamp: row.logged_at.toISOString(),
    severity: row.severity,
    message: row.message,
    stepID: row.step,
    userName: instance.user_name,
    version: String(instance.version),
    evidence: row.evidence,
  };
}

function identity(row: InstanceRow): { instanceID: string; processID: string; processName: string } {
  return { instanceID: row.instance_id, processID: row.process_id, processName: row.process_name };
}
