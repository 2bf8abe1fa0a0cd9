import type { ReportFrame } from '@batuta/agent-protocol';
import type { InstanceRow } from '../instances/instance-row';

/**
 * `apply`: the report must be written. `repeated`: it was written before. `stale`: its fence is old, or its instance
 * does not run or does not exist. `gap`: an earlier report is not stored, and the agent will not send that one: the agent skipped
 * a number, or the database lost an acknowledged report, for example because the database was restored from a backup.
 */
export type ReportCheck = 'apply' | 'repeated' | 'stale' | 'gap';

export function checkReport(
  row: Pick<InstanceRow, 'fence' | 'status' | 'last_report'> | undefined,
  report: Pick<ReportFrame, 'fence' | 'seq'>,
): ReportCheck {
  if (!row || row.fence !== report.fence) return 'stale';
  if (report.seq <= row.last_report) return 'repeated';
  if (row.status !== 'running') return 'stale';
  return report.seq > row.last_report + 1 ? 'gap' : 'apply';
}
