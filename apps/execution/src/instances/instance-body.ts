import type { HistoryItem, InstanceBody, LogLine } from '@batuta/contracts';
import { jsonObstacle, parseJsonText } from '@batuta/matrix';
import type { InstanceRow, LogRow } from './instance-row';
import { isActive } from './transition';

/**
 * The body of an instance (contract 2.6b). `startedAt` is epoch milliseconds while the instance is active and ISO 8601 once it has ended
 * (interpretation 7); before the run begins, and for an instance that never ran, it is the time of acceptance.
 */
export function toInstanceBody(row: InstanceRow): InstanceBody {
  const { processID, processName, instanceID } = identityOf(row);
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
  const { savingsValue, fteHours, finishedAt, durationSeconds } = toHistoryItem(row);
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

/** An ended instance in the history (contract 2.7). The duration of one that never ran is 0 (interpretation 46). */
export function toHistoryItem(row: InstanceRow): HistoryItem {
  const startedAt = row.started_at ?? row.accepted_at;
  const finishedAt = row.finished_at ?? startedAt;
  const milliseconds = row.started_at === null ? 0 : Math.max(0, finishedAt.getTime() - startedAt.getTime());
  return {
    ...identityOf(row),
    status: row.status,
    startedAt: startedAt.toISOString(),
    finishedAt: finishedAt.toISOString(),
    durationSeconds: Math.round(milliseconds / 1_000),
    savingsValue: Number(row.savings_value),
    fteHours: row.fte_hours,
  };
}

/** A log line with the user and version of its instance (contract 2.8). */
export function toLogLine(row: LogRow, instance: InstanceRow): LogLine {
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

/**
 * The value of a JSON text; the text itself when JSON cannot carry the value, or when an earlier release stored a refused name (interpretation 62).
 */
export function shownJson(text: string): unknown {
  try {
    const value = parseJsonText(text);
    return jsonObstacle(value) ? text : value;
  } catch {
    return text;
  }
}

function identityOf(row: InstanceRow): { instanceID: string; processID: string; processName: string } {
  return { instanceID: row.instance_id, processID: row.process_id, processName: row.process_name };
}
