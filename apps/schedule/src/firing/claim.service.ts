import type { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import type { Clock } from '../clock';
import type { ScheduleMetrics } from '../metrics';
import { processFacts, type ProcessFacts } from '../processes';
import { lockDue, setNext, type ScheduleRow } from '../schedules/schedule.repository';
import { addBacklog } from './backlog.repository';
import { settleDue } from './due';
import { record, type NewFiring } from './firing.repository';
import { PENDING_MILLISECONDS } from './verdict';

const AT_ONCE = 100;

interface Times {
  now: Date;
  real: Date;
}

/** Turns due times into records, each exactly once: the record and the schedule's next time are one transaction. */
export class ClaimService {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly metrics: ScheduleMetrics,
  ) {}

  /** Claims all that is due and that no other replica is claiming, unless `stopped`. */
  async claim(stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      const { claimed, records } = await this.claimSome();
      this.countSkipped(records);
      if (records.length > 0) faultPoint('schedule:after-claim');
      if (claimed < AT_ONCE) return;
    }
  }

  /** For a schedule that is locked and about to change: what it owes until now stays owed. */
  async settleOne(tx: Store, row: ScheduleRow, facts: ProcessFacts, times: Times): Promise<void> {
    if (!row.next_at || row.next_at > times.now) return;
    await this.settle(tx, [row], new Map([[facts.processID, facts]]), times);
  }

  private claimSome(): Promise<{ claimed: number; records: NewFiring[] }> {
    return this.store.transaction(async (tx) => {
      const times = await this.clock.read(tx);
      const due = await lockDue(tx, times.now, AT_ONCE);
      const facts = await processFacts(
        tx,
        due.map((row) => row.process_id),
      );
      return { claimed: due.length, records: await this.settle(tx, due, facts, times) };
    });
  }

  private async settle(
    tx: Store,
    due: ScheduleRow[],
    facts: Map<string, ProcessFacts>,
    { now, real }: Times,
  ): Promise<NewFiring[]> {
    const records: NewFiring[] = [];
    for (const row of due) {
      const { schedule_id: scheduleID, cron_expression: expression, next_at: nextAt } = row;
      if (!nextAt) continue;
      const owed = settleDue(expression, nextAt.getTime(), now.getTime());
      if (owed.missed) await addBacklog(tx, scheduleID, owed.missed);
      if (owed.firing !== undefined) {
        const nominalAt = new Date(owed.firing);
        records.push({ scheduleID, nominalAt, ...(obstacle(facts.get(row.process_id)) ?? attempt(real)) });
      }
      await setNext(tx, scheduleID, owed.next === undefined ? null : new Date(owed.next));
    }
    await record(tx, records, real);
    return records;
  }

  private countSkipped(records: NewFiring[]): void {
    const skipped = records.filter((one) => 'code' in one).length;
    if (skipped > 0) this.metrics.settled('skipped', skipped);
  }
}

function attempt(real: Date): { instanceID: string; expiresAt: Date } {
  return { instanceID: uuid(), expiresAt: new Date(real.getTime() + PENDING_MILLISECONDS) };
}

/** Why the process is not even tried (contract 2.9, interpretations 14 and 16); what else hinders it, execution says. */
function obstacle(facts: ProcessFacts | undefined): { code: string; message: string } | undefined {
  if (!facts) return { code: 'PROCESS_NOT_FOUND', message: 'The process was deleted.' };
  if (facts.paused) return { code: 'PROCESS_PAUSED', message: 'The process was paused.' };
  if (facts.scheduling) return undefined;
  const message = 'The plan of the company that owns the process did not include scheduling.';
  return { code: 'PLAN_FEATURE_UNAVAILABLE', message };
}
