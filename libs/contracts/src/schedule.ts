import type { ApiCaller, Caller } from './caller';
import { rpc } from './subject';

/** A schedule as the API returns it (contract 2.9). */
export interface Schedule {
  id: string;
  name: string;
  processID: string;
  /** The name that the process has now. */
  processName: string;
  cronExpression: string;
  /** Whether it is switched on. It does not fire while its process is paused, or while `unavailable` is present. */
  active: boolean;
  /** Who created it: the label of the credential, or the name of the account if it used the console. */
  userName: string;
  /** The values as the client sent them, not converted; `•••` for a value whose name is now that of a Secreto, or of no variable. */
  matrix: Record<string, unknown>;
  /** The environment of the schedule, else that of the process, else empty text. */
  environmentID: string;
  /** Present while the plan of the owner's company has no scheduling: the schedule does not fire, even if it is `active`. */
  unavailable?: 'OWNER_PLAN_NO_SCHEDULING';
}

/** The fields of a new schedule after the check of their types (contract 4.13). */
export interface ScheduleDraft {
  name: string;
  cronExpression: string;
  matrix?: Record<string, unknown>;
  /** Absent = the environment that the process has at each firing. */
  environmentID?: string;
  active: boolean;
}

/** The ids of the account credential and the process key with which an API request was authorized. */
export interface RequestSecrets {
  credentialID: string;
  processKeyID: string;
}

/** A request to create a schedule. Requests with the same id create one schedule. */
export interface ScheduleCreation {
  /** A new UUID that the caller makes. */
  id: string;
  /** Epoch milliseconds of the database's clock; after this time the request is refused. */
  deadline: number;
  /** An earlier attempt had no reply and may have created the schedule. */
  resent?: boolean;
  processID: string;
  /** `label` is shown as the `userName` of the schedule. */
  creator: Caller & { label: string };
  /**
   * The secrets of an API request, which must be usable when the schedule is stored. Requests of the console and of the previous release have none.
   */
  secrets?: RequestSecrets;
  /** The executor of the starts of the schedule, for the audit trail. */
  executor: string;
  draft: ScheduleDraft;
}

/** A request to change a schedule. It may be repeated: a second time it changes nothing, but leaves another audit event. */
export interface ScheduleChangeRequest extends Caller {
  id: string;
  /** An absent field stays as it is; null as `environmentID` means the environment of the process. */
  changes: Partial<Pick<ScheduleDraft, 'name' | 'cronExpression' | 'matrix'>> & { environmentID?: string | null };
}

/**
 * `pending` = recorded, without a final answer of execution yet; the other results are final (interpretation 38). `late` = started more than a
 * minute after the nominal time. `skipped` = not attempted, such as when an outage missed it, the process was paused, the creator may no longer
 * schedule it, or the plan has no scheduling. `failed` = the start was refused, or not accepted in time.
 */
export const FIRING_RESULTS = ['pending', 'fired', 'late', 'skipped', 'failed'] as const;
export type FiringResult = (typeof FIRING_RESULTS)[number];

/** The record of one nominal time of a schedule with its result. Times are in ISO 8601 UTC. */
export interface Firing {
  nominalAt: string;
  result: FiringResult;
  /** The instance that the firing started or attempts to start; null when it was skipped or failed. */
  instanceID: string | null;
  /** Why no instance was started; of a pending firing, why its last attempt failed. `code` = an error code, PROCESS_PAUSED or MISSED. */
  reason: { code: string; message: string } | null;
  /** When the result became final; null while it is `pending`. */
  settledAt: string | null;
}

/**
 * At most `limit` firings, and about 1 MB of them. `older` is present when earlier firings exist: send its `before` to
 * read them.
 */
export interface FiringPage {
  firings: Firing[];
  older?: { before: string };
}

/** A future nominal time, in ISO 8601: in UTC, and in the local time of America/Sao_Paulo. */
export interface UpcomingTime {
  at: string;
  local: string;
}

/** A day of America/Sao_Paulo. Times are in ISO 8601 UTC. */
export interface CalendarDay {
  /** The date, such as `2026-11-30`. */
  day: string;
  /** The day begins at `from` and ends before `until`. */
  from: string;
  until: string;
  /** The recorded firings of the day, by result; results without a firing are absent. */
  firings: Partial<Record<FiringResult, number>>;
  /** The first nominal times that are still to come, at most 24; empty for a schedule that is switched off. */
  upcoming: string[];
  /** Whether the day has further nominal times after `upcoming`. */
  moreUpcoming: boolean;
}

/**
 * Schedules in the order of their creation, at most 1,000 and as many as fit into a page. `more` = there is a next page, which begins `after` the
 * last id of this one.
 */
export interface ScheduleListPage {
  schedules: Schedule[];
  more: boolean;
}

export const schedule = {
  /**
   * The caller has checked permission and secrets, which the service reads again in the transaction; it also checks cron, owner, plan, values
   * and environment (interpretation 11).
   */
  create: rpc<ScheduleCreation, { id: string }>('schedule.create'),
  /** The schedules of the processes that the account owns, and the schedules that the account created (interpretation 14). */
  list: rpc<{ accountID: string; after?: string }, ScheduleListPage>('schedule.list'),
  ofProcess: rpc<{ processID: string; after?: string }, ScheduleListPage>('schedule.of-process'),
  /** Throws SCHEDULE_NOT_FOUND unless the account created the schedule or owns its process (interpretation 14). */
  find: rpc<{ id: string; accountID: string }, { id: string; active: boolean }>('schedule.find'),
  /** The whole schedule. Whoever has a share with `schedule` may read it too; throws SCHEDULE_NOT_FOUND for others. */
  read: rpc<{ id: string; accountID: string }, Schedule>('schedule.read'),
  /**
   * Times that are already due by the old expression are handled as without the change. Throws as `create` does, SCHEDULE_NOT_FOUND as `find`
   * does, and FORBIDDEN when the creator may no longer schedule the process.
   */
  change: rpc<ScheduleChangeRequest, { id: string }>('schedule.change'),
  /**
   * A schedule that is switched on fires from its next nominal time on. Times that are already due at a switch-off are handled as without it.
   * Throws as `find` does, and the refusal of a caller that lost its access meanwhile; switching on also throws FORBIDDEN when the creator may no
   * longer schedule the process, and PLAN_FEATURE_UNAVAILABLE.
   */
  setActive: rpc<{ id: string; active: boolean } & ApiCaller, { id: string; active: boolean }>('schedule.set-active'),
  /** Deletes the schedule and, afterwards, its firings; what they started stays. Throws as `setActive` does for a switch-off. */
  remove: rpc<{ id: string } & ApiCaller, { ok: true }>('schedule.remove'),
  /** The newest firings from `from` to before `before` (ISO 8601), newest first. Whoever may `read` the schedule may read them. */
  firings: rpc<{ id: string; accountID: string; limit: number; from?: string; before?: string }, FiringPage>(
    'schedule.firings',
  ),
  /** The days of a month, such as `2026-11`, in America/Sao_Paulo. Whoever may read the firings may read them. */
  calendar: rpc<{ id: string; accountID: string; month: string }, { days: CalendarDay[] }>('schedule.calendar'),
  /** The next nominal times of an expression, at most ten. Throws INVALID_CRON. */
  preview: rpc<{ cronExpression: string }, { times: UpcomingTime[] }>('schedule.preview'),
};
