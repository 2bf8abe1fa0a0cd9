import type { ReportFrame } from '@batuta/agent-protocol';
import { ApiError } from '@batuta/errors';
import type { InstanceRow } from '../instances/instance-row';

/**
 * `apply`: the report must be written. `repeated`: it was written before. `stale`: its fence is old, or its instance
 * has ended.
 */
export type ReportCheck = 'apply' | 'repeated' | 'stale';

/** Throws BAD_REQUEST for a report that arrives before its predecessor; the agent sends both again. */
export function checkReport(
  row: Pick<InstanceRow, 'fence' | 'status' | 'last_report'> | undefined,
  report: Pick<ReportFrame, 'fence' | 'seq'>,
): ReportCheck {
  if (!row || row.fence !== report.fence) return 'stale';
  if (report.seq <= row.last_report) return 'repeated';
  if (row.status !== 'running') return 'stale';
  if (report.seq > row.last_report + 1) {
    throw new ApiError('BAD_REQUEST', `seq: ${report.seq} came before ${row.last_report + 1}`);
  }
  return 'apply';
}
