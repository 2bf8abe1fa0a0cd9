import { companiesOf, environmentFacts, lockCompany, processStartFacts, requireRoom } from '@batuta/catalog';
import type { FiringPage, ScheduleCreation, ScheduleDraft, SchedulePage, UpcomingTime } from '@batuta/contracts';
import { isDuplicate, PageBudget, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { stringifyWithRaw } from '@batuta/json';
import { Inject, Injectable } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from '../config';
import { parseCron } from '../cron/expression';
import { timesAfter } from '../cron/times';
import { localText } from '../cron/zone';
import { DueScheduleService } from '../firing/due-schedule.service';
import { firstTime } from '../firing/due-times';
import { newestFirings } from '../firing/firing-page.repository';
import { NominalClock } from '../nominal-clock';
import {
  maySchedule,
  processFacts,
  scheduleFacts,
  type ProcessFacts,
  type ScheduleFacts,
} from '../processes/process.repository';
import { requireEnvironment, requireMatrix } from './draft-rules';
import { removeSchedule } from './schedule-removal';
import * as schedules from './schedule.repository';
import type { ScheduleRow } from './schedule.repository';

const PREVIEW_TIMES = 10;

interface VisibleSchedule {
  row: ScheduleRow;
  facts: ScheduleFacts;
}

/** The schedules of processes, for the API and the console (contract 4.12 to 4.16). */
@Injectable()
export class ScheduleService {
  private readonly pages = new PageBudget();

  constructor(
    private readonly store: Store,
    private readonly clock: NominalClock,
    private readonly dueSchedules: DueScheduleService,
    @Inject(SCHEDULE_CONFIG) private readonly config: Pick<ScheduleConfig, 'QUOTA_SCHEDULES'>,
  ) {}

  /**
   * Checks the cron expression and the later rules of interpretation 11 and stores the schedule; the process need not be
   * published (interpretation 36b). A repeated creation with one id stores one schedule.
   */
  async create(creation: ScheduleCreation): Promise<void> {
    const { id, processID, creator, executor, draft, deadline, resent } = creation;
    if (resent && (await schedules.find(this.store, id))) return;
    const expression = draft.cronExpression.trim();
    parseCron(expression);
    const { companyID } = await this.requireSchedulable(processID, creator.accountID, draft);
    const { now, real } = await this.clock.read(this.store);
    if (deadline < real.getTime()) throw new ApiError('UNAVAILABLE', 'The request came too late; nothing was made.');
    const inserted = this.insert(companyID, {
      schedule_id: id,
      process_id: processID,
      creator_account_id: creator.accountID,
      user_name: creator.label,
      executor,
      name: draft.name,
      cron_expression: expression,
      matrix: stringifyWithRaw(draft.matrix ?? {}).json,
      environment_id: draft.environmentID ?? null,
      active: draft.active,
      next_at: draft.active ? firstTime(expression, now.getTime()) : null,
      created_at: real,
    });
    await inserted.catch((error: unknown) => {
      // A concurrent attempt with the same id stored the schedule, so this attempt succeeds too.
      if (!isDuplicate(error)) throw error;
    });
  }

  page(scope: schedules.ScheduleScope, after?: string): Promise<SchedulePage> {
    return schedules.page(this.store, this.pages, scope, after);
  }

  async find(id: string, accountID: string): Promise<{ id: string; active: boolean }> {
    const { row } = await this.visible(this.store, await schedules.find(this.store, id), accountID);
    return { id, active: row.active === 1 };
  }

  /**
   * An activated schedule fires from its next nominal time on; a deactivated one still fires the nominal times that are already
   * due.
   */
  setActive(id: string, accountID: string, active: boolean): Promise<void> {
    return this.store.transaction(async (tx) => {
      const { row, facts } = await this.visible(tx, await schedules.lock(tx, id), accountID);
      if (active) requireMayFire(facts);
      if (active === (row.active === 1)) return;
      const reading = await this.clock.read(tx);
      await this.dueSchedules.recordDueOf(tx, row, facts, reading);
      const nextAt = active ? firstTime(row.cron_expression, reading.now.getTime()) : null;
      await schedules.setActive(tx, id, active, nextAt);
    });
  }

  async remove(id: string, accountID: string): Promise<void> {
    await this.visible(this.store, await schedules.find(this.store, id), accountID);
    await removeSchedule(this.store, id);
  }

  async firings(id: string, accountID: string, limit: number, before?: string): Promise<FiringPage> {
    const row = await schedules.find(this.store, id);
    const allowed =
      row?.creator_account_id === accountID || (row && (await maySchedule(this.store, row.process_id, accountID)));
    if (!allowed) throw notFound();
    const cursor = before === undefined ? {} : { before: new Date(before) };
    return newestFirings(this.store, this.pages, { scheduleID: id, accountID, limit, ...cursor });
  }

  async preview(expression: string): Promise<UpcomingTime[]> {
    const { now } = await this.clock.read(this.store);
    const times: UpcomingTime[] = [];
    for (const time of timesAfter(expression, now.getTime())) {
      times.push({ at: new Date(time).toISOString(), local: localText(time) });
      if (times.length === PREVIEW_TIMES) break;
    }
    return times;
  }

  private insert(companyID: string, row: schedules.NewSchedule): Promise<void> {
    return this.store.transaction(async (tx) => {
      await lockCompany(tx, companyID);
      // A concurrent attempt with the same id may have taken the last place.
      if (await schedules.find(tx, row.schedule_id)) return;
      await requireRoom(tx, companyID, 'schedules', this.config.QUOTA_SCHEDULES);
      await schedules.insert(tx, row);
    });
  }

  /** Checks in this order: owner active, plan with scheduling, values, environment (interpretation 11). */
  private async requireSchedulable(processID: string, accountID: string, draft: ScheduleDraft): Promise<ProcessFacts> {
    const [launches, facts] = await Promise.all([
      processStartFacts(this.store, [processID]),
      processFacts(this.store, [processID]),
    ]);
    const [launch, process] = [launches.get(processID), facts.get(processID)];
    if (!launch || !process) throw new ApiError('PROCESS_NOT_FOUND');
    if (!launch.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
    requireScheduling(process);
    requireMatrix(launch.matrix, draft.matrix ?? {});
    if (draft.environmentID === undefined) return process;
    const [environments, companies] = await Promise.all([
      environmentFacts(this.store, [draft.environmentID]),
      companiesOf(this.store, [accountID]),
    ]);
    const creator = { accountID, companyID: companies.get(accountID) };
    requireEnvironment(draft.environmentID, environments.get(draft.environmentID), creator, launch);
    return process;
  }

  /** Throws SCHEDULE_NOT_FOUND unless the account created the schedule or owns its process (interpretation 14). */
  private async visible(store: Store, row: ScheduleRow | undefined, accountID: string): Promise<VisibleSchedule> {
    const facts = row && (await scheduleFacts(store, [row.schedule_id])).get(row.schedule_id);
    if (!row || !facts) throw notFound();
    if (row.creator_account_id !== accountID && facts.ownerAccountID !== accountID) throw notFound();
    return { row, facts };
  }
}

/** Throws FORBIDDEN when the creator may no longer schedule the process (interpretation 50), else as `requireScheduling`. */
function requireMayFire(facts: ScheduleFacts): void {
  if (!facts.creatorMaySchedule) {
    const message =
      'Who created the schedule may no longer schedule the process; it can only be switched off and removed.';
    throw new ApiError('FORBIDDEN', message);
  }
  requireScheduling(facts);
}

function requireScheduling({ scheduling }: ProcessFacts): void {
  if (scheduling) return;
  const message = 'The plan of the company that owns the process does not include scheduling.';
  throw new ApiError('PLAN_FEATURE_UNAVAILABLE', message);
}

function notFound(): ApiError {
  return new ApiError('SCHEDULE_NOT_FOUND', 'id: no such schedule');
}
