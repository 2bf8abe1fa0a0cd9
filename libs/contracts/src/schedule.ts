import { rpc } from './subject';

/** Contract 2.9, as its readers see it. `unavailable` is there only when it applies. */
export interface Schedule {
  id: string;
  name: string;
  processID: string;
  processName: string;
  cronExpression: string;
  active: boolean;
  /** Label of the credential that created it. */
  userName: string;
  /** As sent, not converted. */
  matrix: Record<string, unknown>;
  /** The one sent, else the one registered on the process; empty when it has none. */
  environmentID: string;
  unavailable?: 'OWNER_PLAN_NO_SCHEDULING';
}

/** What a schedule is made of (contract 4.13), its shape checked. */
export interface ScheduleDraft {
  name: string;
  cronExpression: string;
  matrix?: Record<string, unknown>;
  environmentID?: string;
  active: boolean;
}

/** Asked again with the same id it makes one schedule. */
export interface ScheduleCreation {
  /** Minted by who asks. */
  id: string;
  /** Epoch milliseconds; nothing is made past it. */
  deadline: number;
  /** An earlier attempt got no answer, and may have been done. */
  resent?: boolean;
  processID: string;
  creator: { accountID: string; label: string };
  executor: string;
  draft: ScheduleDraft;
}

/** `pending` = claimed, and execution has not answered yet; the others are final (interpretation 38). */
export const FIRING_RESULTS = ['pending', 'fired', 'late', 'skipped', 'failed'] as const;
export type FiringResult = (typeof FIRING_RESULTS)[number];

/** What became of one nominal time of a schedule. Times in ISO 8601 UTC. */
export interface Firing {
  nominalAt: string;
  result: FiringResult;
  /** The instance that it started or tries to start; null for what was never tried. */
  instanceID: string | null;
  /** Why it was skipped or failed, or is still pending: an error code, PROCESS_PAUSED or MISSED. */
  reason: { code: string; message: string } | null;
  settledAt: string | null;
}

/** A time to come: in ISO 8601 UTC, and as the clocks of America/Sao_Paulo show it. */
export interface UpcomingTime {
  at: string;
  local: string;
}

/** Schedules in the order of their creation; `more` = ask again with the last id as `after`. */
export interface SchedulePage {
  schedules: Schedule[];
  more: boolean;
}

export const schedule = {
  /** The caller may schedule the process; cron, owner, plan, values and environment are judged here (interpretation 11). */
  create: rpc<ScheduleCreation, { id: string }>('schedule.create'),
  /** Those on the account's own processes and those that it created (interpretation 14). */
  list: rpc<{ accountID: string; after?: string }, SchedulePage>('schedule.list'),
  ofProcess: rpc<{ processID: string; after?: string }, SchedulePage>('schedule.of-process'),
  /** SCHEDULE_NOT_FOUND unless the account created it or owns its process (interpretation 14). */
  find: rpc<{ id: string; accountID: string }, { id: string; active: boolean }>('schedule.find'),
  setActive: rpc<{ id: string; accountID: string; active: boolean }, { id: string; active: boolean }>(
    'schedule.set-active',
  ),
  remove: rpc<{ id: string; accountID: string }, { ok: true }>('schedule.remove'),
  /** The newest `limit` firings before `before` (ISO 8601), newest first; a share with `schedule` may read them too. */
  firings: rpc<{ id: string; accountID: string; limit: number; before?: string }, { firings: Firing[] }>(
    'schedule.firings',
  ),
  /** The next ten times of an expression. Throws INVALID_CRON. */
  preview: rpc<{ cronExpression: string }, { times: UpcomingTime[] }>('schedule.preview'),
};
