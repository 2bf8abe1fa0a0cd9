import type { ReportFrame } from '@batuta/agent-protocol';
import type { Outcome } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { endWithoutResult, writeEnds } from '../instances/instance-end';
import { lockInstances } from '../instances/instance.repository';
import { cancelQueuesOnException } from '../queue-cancellation/queue-cancellation.repository';
import { checkReport, type ReportCheck } from './check-report';
import { lineOfService, writeLines } from './report.repository';

export interface UnstorableReportResult {
  /** `unstorable`: the instance was ended. */
  check: ReportCheck | 'unstorable';
  /** Whether a webhook caller waited for the instance from its start on; like `outcome` absent unless the instance was ended. */
  awaited?: boolean;
  outcome?: Outcome;
}

/**
 * Ends the instance of a report that the database does not take; changes nothing for a stale or repeated report. It writes a log line and the
 * end into the tables that every report uses: when these cannot be stored either, the fault is not in this report, so the transaction fails
 * and the instance goes on.
 */
export async function endUnstorable(tx: Store, report: ReportFrame): Promise<UnstorableReportResult> {
  const [row] = await lockInstances(tx, [report.instanceID]);
  const check = checkReport(row, report);
  if (!row || check === 'stale' || check === 'repeated') return { check };
  const errorMessage = `Report ${report.seq} of the execution could not be stored, so its result is not known.`;
  const end = endWithoutResult(row, errorMessage);
  writeLines(tx, [{ row, lines: [lineOfService('ERROR', errorMessage)] }]);
  writeEnds(tx, [{ ...end, report: { seq: row.last_report, lastLine: row.last_line + 1 } }]);
  if (end.change.next.status === 'error') cancelQueuesOnException(tx, [row]);
  return { check: 'unstorable', awaited: row.awaited === 1, outcome: end.outcome };
}
