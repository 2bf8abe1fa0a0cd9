import { recordAction } from '@batuta/audit';
import {
  companiesOf,
  environmentFacts,
  lockCompany,
  lockPermission,
  lockRequestSecrets,
  findProcessStartFacts,
  requireRoom,
} from '@batuta/catalog';
import {
  storedExecutor,
  type ApiCaller,
  type CalendarDay,
  type FiringPage,
  type Schedule,
  type ScheduleChangeRequest,
  type ScheduleCreation,
  type ScheduleDraft,
  type ScheduleListPage,
  type UpcomingTime,
} from '@batuta/contracts';
import { isDuplicate, PageBudget, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { stringifyWithRaw } from '@batuta/json';
import { Inject, Injectable } from '@nestjs/common';
import { SCHEDULE_CONFIG, type ScheduleConfig } from '../config';
import { parseCron } from '../cron/cron-expression';
import { daysOfMonth, timesOfDay } from '../cron/month-days';
import { timesAfter } from '../cron/nominal-times';
import { localText } from '../cron/time-zone';
import { DueScheduleService } from '../firing/due-schedule.service';
import { firstTime } from '../firing/due-times';
import { firingsByDay } from '../firing/firing-days.repository';
import { newestFirings } from '../firing/firing-page.repository';
import { keepExpressionOfMissed } from '../firing/missed-times.repository';
import { NominalClock } from '../nominal-clock';
import { findProcessFacts, maySchedule, type ProcessFacts } from '../processes/process.repository';
import { requireEnvironment, requireMatrix } from './draft-rules';
import { requireCreatorMaySchedule, requireMayFire, requireScheduling } from './firing-rules';
import { ScheduleRecordRemover } from './schedule-record-remover';
import { deleteSchedule } from './schedule-removal';
import * as schedules from './schedule.repository';
import type { ScheduleRow } from './schedule.repository';
import { lockVisibleSchedule, noSuchSchedule, auditFieldsOf, requireVisibleSchedule } from './visible-schedule';

const PREVIEW_TIME_COUNT = 10;
/** Maximum future times per day of a calendar: one per hour. */
const MAX_UPCOMING_OF_DAY = 24;

/** The schedules of processes, for the API and the console (contract 4.12 to 4.16). */
@Injectable()
export class ScheduleService {
  private readonly pages = new PageBudget();

  constructor(
    private readonly store: Store,
    private readonly clock: NominalClock,
    private readonly dueSchedules: DueScheduleService,
    private readonly recordRemover: ScheduleRecordRemover,
    @Inject(SCHEDULE_CONFIG) private readonly config: Pick<ScheduleConfig, 'QUOTA_SCHEDULES'>,
  ) {}

  /**
   * Checks the cron expression and the later rules of interpretation 11 and stores the schedule; the process need not be
   * published (interpretation 36b). A repeated creation with one id stores one schedule. Throws UNAVAILABLE after
   * `deadline`, then QUOTA_EXCEEDED, and what `lockPermission` and `lockRequestSecrets` throw.
   */
  async create(creation: ScheduleCreation): Promise<void> {
    const { id, processID, creator, executor, draft, deadline, resent } = creation;
    if (resent && (await schedules.findSchedule(this.store, id))) return;
    const expression = draft.cronExpression.trim();
    parseCron(expression);
    const { companyID } = await this.requireSchedulable(processID, creator.accountID, draft);
    const { now, real } = await this.clock.read(this.store);
    if (deadline < real.getTime())
      throw new ApiError('UNAVAILABLE', 'The request arrived after its deadline; no schedule was created.');
    const row = {
      schedule_id: id,
      process_id: processID,
      creator_account_id: creator.accountID,
      user_name: creator.label,
      executor: storedExecutor(executor),
      name: draft.name,
      cron_expression: expression,
      matrix: stringifyWithRaw(draft.matrix ?? {}).json,
      environment_id: draft.environmentID ?? null,
      active: draft.active,
      next_at: draft.active ? firstTime(expression, now.getTime()) : null,
      created_at: real,
    };
    await this.insert(companyID, row, creation).catch((error: unknown) => {
      // The insert failed because a concurrent attempt with the same id stored the schedule, so this attempt succeeds
      // as well.
      if (!isDuplicate(error)) throw error;
    });
  }

  /** Schedules after the id `after`, oldest first, at most 1,000 and at most about 1 MB; none of a deleted process. */
  page(scope: schedules.ScheduleScope, after?: string): Promise<ScheduleListPage> {
    return schedules.pageOfSchedules(this.store, this.pages, scope, after);
  }

  /** For the creator of the schedule and the owner of its process, who may change it; throws SCHEDULE_NOT_FOUND for others. */
  async find(id: string, accountID: string): Promise<{ id: string; active: boolean }> {
    const { row } = await requireVisibleSchedule(this.store, await schedules.findSchedule(this.store, id), accountID);
    return { id, active: row.active === 1 };
  }

  /** For the creator of the schedule and whoever may schedule its process; throws SCHEDULE_NOT_FOUND for others. */
  async read(id: string, accountID: string): Promise<Schedule> {
    await this.requireReadable(id, accountID);
    const found = await schedules.readSchedule(this.store, this.pages, id, accountID);
    if (!found) throw noSuchSchedule();
    return found;
  }

  /**
   * Changes the fields that `changes` has; checks them as `create` does, for the caller instead of the creator. Times that are already due by the
   * old expression are still recorded; the new expression begins with its next time. Throws what these checks and `lockVisibleSchedule` throw,
   * and FORBIDDEN when the creator may no longer schedule the process, whoever the caller is.
   */
  async change({ id, changes, ...caller }: ScheduleChangeRequest): Promise<void> {
    const { accountID } = caller;
    const expression = changes.cronExpression?.trim();
    if (expression !== undefined) parseCron(expression);
    const { row: found, facts: factsBefore } = await requireVisibleSchedule(
      this.store,
      await schedules.findSchedule(this.store, id),
      accountID,
    );
    // Refuses a schedule whose creator may no longer schedule the process, before the values are checked: refusals of values name variables, and a
    // creator whose share has ended must not learn these.
    requireCreatorMaySchedule(factsBefore);
    const environmentID = changes.environmentID ?? undefined;
    await this.requireSchedulable(found.process_id, accountID, { matrix: changes.matrix, environmentID });
    await this.store.transaction(async (tx) => {
      const visible = await lockVisibleSchedule(tx, id, caller);
      const { row, facts } = visible;
      requireMayFire(facts);
      await schedules.changeSchedule(tx, id, {
        ...(changes.name !== undefined && { name: changes.name }),
        ...(changes.matrix !== undefined && { matrix: stringifyWithRaw(changes.matrix).json }),
        ...(changes.environmentID !== undefined && { environment_id: changes.environmentID }),
      });
      recordAction(tx, { action: 'schedule.change', ...auditFieldsOf(visible), accountID });
      if (expression === undefined || expression === row.cron_expression) return;
      const reading = await this.clock.read(tx);
      await this.dueSchedules.recordDueOf(tx, row, facts, reading);
      await keepExpressionOfMissed(tx, id, row.cron_expression);
      const next_at = row.active === 1 ? firstTime(expression, reading.now.getTime()) : null;
      await schedules.changeSchedule(tx, id, { cron_expression: expression, next_at });
    });
  }

  /**
   * An activated schedule fires from its next nominal time on; the nominal times of a deactivated one that are already due are still recorded.
   * Changes nothing when `active` is what it was. Throws what `lockVisibleSchedule` throws and, when `active` is true, what `requireMayFire`
   * throws.
   */
  setActive(id: string, caller: ApiCaller, active: boolean): Promise<void> {
    return this.store.transaction(async (tx) => {
      const visible = await lockVisibleSchedule(tx, id, caller);
      const { row, facts } = visible;
      if (active) requireMayFire(facts);
      if (active === (row.active === 1)) return;
      const reading = await this.clock.read(tx);
      await this.dueSchedules.recordDueOf(tx, row, facts, reading);
      const nextAt = active ? firstTime(row.cron_expression, reading.now.getTime()) : null;
      await schedules.setActive(tx, id, active, nextAt);
      const action = active ? 'schedule.on' : 'schedule.off';
      recordAction(tx, { action, ...auditFieldsOf(visible), accountID: caller.accountID });
    });
  }

  /**
   * The promise resolves when the schedule is removed; its firings are removed afterwards. Instances that it has started continue. Throws what
   * `lockVisibleSchedule` throws.
   */
  async remove(id: string, caller: ApiCaller): Promise<void> {
    await this.store.transaction(async (tx) => {
      const visible = await lockVisibleSchedule(tx, id, caller);
      recordAction(tx, { action: 'schedule.delete', ...auditFieldsOf(visible), accountID: caller.accountID });
      await deleteSchedule(tx, id);
    });
    this.recordRemover.begin(id);
  }

  /**
   * The newest recorded firings, at most `limit`, of those from `from` on and before `before`. Throws SCHEDULE_NOT_FOUND unless the account created
   * the schedule or may schedule its process.
   */
  async firings(
    id: string,
    accountID: string,
    limit: number,
    { from, before }: { from?: string; before?: string } = {},
  ): Promise<FiringPage> {
    await this.requireReadable(id, accountID);
    const range = {
      ...(from !== undefined && { from: new Date(from) }),
      ...(before !== undefined && { before: new Date(before) }),
    };
    return newestFirings(this.store, this.pages, { scheduleID: id, accountID, limit, ...range });
  }

  /**
   * The days of a month such as `2026-11` with their recorded firings, and with the times to come of an active schedule, at most 24 of a day. Throws
   * SCHEDULE_NOT_FOUND unless the account created the schedule or may schedule its process.
   */
  async calendar(id: string, accountID: string, month: string): Promise<CalendarDay[]> {
    const { cron_expression: expression, next_at: nextAt } = await this.requireReadable(id, accountID);
    const days = daysOfMonth(month);
    const firings = await firingsByDay(this.store, id, days);
    return days.map((day, index) => {
      const upcoming = nextAt && timesOfDay(expression, day, nextAt.getTime(), MAX_UPCOMING_OF_DAY);
      return {
        day: day.day,
        from: new Date(day.from).toISOString(),
        until: new Date(day.until).toISOString(),
        firings: firings[index] ?? {},
        upcoming: (upcoming?.times ?? []).map((time) => new Date(time).toISOString()),
        moreUpcoming: upcoming?.more ?? false,
      };
    });
  }

  /** The next ten nominal times of an expression; fewer only at the end of croner's calendar. Throws INVALID_CRON. */
  async preview(expression: string): Promise<UpcomingTime[]> {
    const { now } = await this.clock.read(this.store);
    const times: UpcomingTime[] = [];
    for (const time of timesAfter(expression, now.getTime())) {
      times.push({ at: new Date(time).toISOString(), local: localText(time) });
      if (times.length === PREVIEW_TIME_COUNT) break;
    }
    return times;
  }

  private insert(
    companyID: string,
    row: schedules.NewSchedule,
    { creator, secrets }: Pick<ScheduleCreation, 'creator' | 'secrets'>,
  ): Promise<void> {
    return this.store.transaction(async (tx) => {
      await lockCompany(tx, companyID);
      // A concurrent attempt with the same id may have taken the last place of the quota; then this attempt has
      // succeeded, too.
      if (await schedules.findSchedule(tx, row.schedule_id)) return;
      await requireRoom(tx, companyID, 'schedules', this.config.QUOTA_SCHEDULES);
      await lockPermission(tx, creator, row.process_id, 'schedule');
      if (secrets) await lockRequestSecrets(tx, secrets);
      await schedules.insertSchedule(tx, row);
      recordAction(tx, {
        action: 'schedule.add',
        objectID: row.schedule_id,
        companyID,
        processID: row.process_id,
        detail: { name: row.name, cronExpression: row.cron_expression },
        accountID: row.creator_account_id,
      });
    });
  }

  /** Checks in this order: the process exists, its owner is active, plan with scheduling, values, environment (interpretation 11). */
  private async requireSchedulable(
    processID: string,
    accountID: string,
    draft: Pick<ScheduleDraft, 'matrix' | 'environmentID'>,
  ): Promise<ProcessFacts> {
    const [startFactsByID, facts] = await Promise.all([
      findProcessStartFacts(this.store, [processID]),
      findProcessFacts(this.store, [processID]),
    ]);
    const [startFacts, process] = [startFactsByID.get(processID), facts.get(processID)];
    if (!startFacts || !process) throw new ApiError('PROCESS_NOT_FOUND');
    if (!startFacts.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
    requireScheduling(process);
    requireMatrix(startFacts.matrix, draft.matrix ?? {});
    if (draft.environmentID === undefined) return process;
    const [environments, companies] = await Promise.all([
      environmentFacts(this.store, [draft.environmentID]),
      companiesOf(this.store, [accountID]),
    ]);
    const creator = { accountID, companyID: companies.get(accountID) };
    requireEnvironment(draft.environmentID, environments.get(draft.environmentID), creator, startFacts);
    return process;
  }

  /** Throws SCHEDULE_NOT_FOUND unless the account created the schedule or may schedule its process. */
  private async requireReadable(id: string, accountID: string): Promise<ScheduleRow> {
    const row = await schedules.findSchedule(this.store, id);
    const allowed =
      row?.creator_account_id === accountID || (row && (await maySchedule(this.store, row.process_id, accountID)));
    if (!row || !allowed) throw noSuchSchedule();
    return row;
  }
}
