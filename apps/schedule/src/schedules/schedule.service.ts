import { companiesOf, environmentFacts, processStartFacts } from '@batuta/catalog';
import type { Firing, ScheduleCreation, ScheduleDraft, SchedulePage, UpcomingTime } from '@batuta/contracts';
import { isDuplicate, type Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import type { Clock } from '../clock';
import { parseCron } from '../cron/expression';
import { timesAfter } from '../cron/times';
import { localText } from '../cron/zone';
import type { ClaimService } from '../firing/claim.service';
import { firstTime } from '../firing/due';
import { newest } from '../firing/firing.repository';
import { maySchedule, processFacts, type ProcessFacts } from '../processes';
import { requireEnvironment, requireMatrix } from './draft';
import { removeSchedule } from './removal';
import * as schedules from './schedule.repository';
import type { ScheduleRow } from './schedule.repository';

const PREVIEWED = 10;

interface Visible {
  row: ScheduleRow;
  facts: ProcessFacts;
}

/** Contract 4.12 to 4.16: what is asked of schedules, whoever asks. */
export class ScheduleService {
  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly claims: ClaimService,
  ) {}

  /** The rest of interpretation 11 from the cron expression on; an unpublished process is allowed (interpretation 36b). */
  async create(creation: ScheduleCreation): Promise<void> {
    const { id, processID, creator, executor, draft, deadline, resent } = creation;
    if (resent && (await schedules.find(this.store, id))) return;
    const expression = draft.cronExpression.trim();
    parseCron(expression);
    await this.judge(processID, creator.accountID, draft);
    const { now, real } = await this.clock.read(this.store);
    if (deadline < real.getTime()) throw new ApiError('UNAVAILABLE', 'The request came too late; nothing was made.');
    const made = schedules.insert(this.store, {
      schedule_id: id,
      process_id: processID,
      creator_account_id: creator.accountID,
      user_name: creator.label,
      executor,
      name: draft.name,
      cron_expression: expression,
      matrix: JSON.stringify(draft.matrix ?? {}),
      environment_id: draft.environmentID ?? null,
      active: draft.active,
      next_at: draft.active ? firstTime(expression, now.getTime()) : null,
      created_at: real,
    });
    await made.catch((error: unknown) => {
      // An earlier attempt made it in this moment.
      if (!isDuplicate(error)) throw error;
    });
  }

  page(whose: schedules.Whose, after?: string): Promise<SchedulePage> {
    return schedules.page(this.store, whose, after);
  }

  async find(id: string, accountID: string): Promise<{ id: string; active: boolean }> {
    const { row } = await this.visible(this.store, await schedules.find(this.store, id), accountID);
    return { id, active: row.active === 1 };
  }

  /** Switched on, it goes on with the next time to come; switched off, what has come due until now is still owed. */
  setActive(id: string, accountID: string, active: boolean): Promise<void> {
    return this.store.transaction(async (tx) => {
      const { row, facts } = await this.visible(tx, await schedules.lock(tx, id), accountID);
      if (active) requireScheduling(facts);
      if (active === (row.active === 1)) return;
      const times = await this.clock.read(tx);
      await this.claims.settleOne(tx, row, facts, times);
      const nextAt = active ? firstTime(row.cron_expression, times.now.getTime()) : null;
      await schedules.setActive(tx, id, active, nextAt);
    });
  }

  async remove(id: string, accountID: string): Promise<void> {
    await this.visible(this.store, await schedules.find(this.store, id), accountID);
    await removeSchedule(this.store, id);
  }

  async firings(id: string, accountID: string, limit: number, before?: string): Promise<Firing[]> {
    const row = await schedules.find(this.store, id);
    const may =
      row?.creator_account_id === accountID || (row && (await maySchedule(this.store, row.process_id, accountID)));
    if (!may) throw notFound();
    return newest(this.store, id, before === undefined ? undefined : new Date(before), limit);
  }

  async preview(expression: string): Promise<UpcomingTime[]> {
    const now = await this.clock.now(this.store);
    const times: UpcomingTime[] = [];
    for (const time of timesAfter(expression, now.getTime())) {
      times.push({ at: new Date(time).toISOString(), local: localText(time) });
      if (times.length === PREVIEWED) break;
    }
    return times;
  }

  /** Owner active → scheduling plan → matrix → environment (interpretation 11). */
  private async judge(processID: string, accountID: string, draft: ScheduleDraft): Promise<void> {
    const [launches, facts] = await Promise.all([
      processStartFacts(this.store, [processID]),
      processFacts(this.store, [processID]),
    ]);
    const [launch, process] = [launches.get(processID), facts.get(processID)];
    if (!launch || !process) throw new ApiError('PROCESS_NOT_FOUND');
    if (!launch.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
    requireScheduling(process);
    requireMatrix(launch.matrix, draft.matrix ?? {});
    if (draft.environmentID === undefined) return;
    const [environments, companies] = await Promise.all([
      environmentFacts(this.store, [draft.environmentID]),
      companiesOf(this.store, [accountID]),
    ]);
    const creator = { accountID, companyID: companies.get(accountID) };
    requireEnvironment(draft.environmentID, environments.get(draft.environmentID), creator, launch);
  }

  /** SCHEDULE_NOT_FOUND unless the account created it or owns its process (interpretation 14). */
  private async visible(store: Store, row: ScheduleRow | undefined, accountID: string): Promise<Visible> {
    const facts = row && (await processFacts(store, [row.process_id])).get(row.process_id);
    if (!row || !facts) throw notFound();
    if (row.creator_account_id !== accountID && facts.ownerAccountID !== accountID) throw notFound();
    return { row, facts };
  }
}

function requireScheduling({ scheduling }: ProcessFacts): void {
  if (scheduling) return;
  const why = 'The plan of the company that owns the process does not include scheduling.';
  throw new ApiError('PLAN_FEATURE_UNAVAILABLE', why);
}

function notFound(): ApiError {
  return new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
}
