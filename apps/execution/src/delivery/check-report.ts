import type { ReportFrame } from '@batuta/agent-protocol';
import type { InstanceRow } from '../instances/instance-row';

/**
 * `apply`: the report must be written. `repeated`: it was written before. `stale`: its fence is old, or its instance
 * does not run or does not exist. `gap`: a report before it is not stored, and the agent will not send it: it skipped a
 * number, or the database lost a report that was acknowledged, for example when it was restored from a backup.
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
