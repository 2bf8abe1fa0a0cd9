import { ApiError } from '@batuta/errors';
import { nextTime, timesAfter } from '../cron/nominal-times';

/** Maximum age of a missed time that is still fired (interpretation 38). */
const MAX_CATCH_UP_AGE_MS = 10 * 60_000;
/** A firing that starts later than this after its nominal time is `late`. */
export const LATE_AFTER_MS = 60_000;

/** Epoch milliseconds: `from` inclusive, `until` exclusive. */
export interface TimeRange {
  from: number;
  until: number;
}

/** What to do with the times of a due schedule; instants in epoch milliseconds. */
export interface DueTimes {
  /** The nominal time to fire now, or with `refusal` the one to record as skipped; undefined when every due time is too old. */
  firing?: number;
  /** The range whose nominal times are recorded as missed. */
  missed?: TimeRange;
  /** The first nominal time after now; undefined when there is none, and with `refusal`. */
  next?: number;
  /** Why the other times are unknown: this release refuses the expression, which an earlier one stored. */
  refusal?: { code: string; message: string };
}

/**
 * Plans the nominal times from `nextAt` (the first without a firing) to `now`: the newest fires if it is at most ten
 * minutes old, and all others are recorded as missed. The cost does not depend on the length of the outage.
 */
export function planDueTimes(expression: string, nextAt: number, now: number): DueTimes {
  const oldest = Math.max(nextAt, now - MAX_CATCH_UP_AGE_MS);
  // The stored time fires even if the present rules of the time zone do not give it: it was promised by earlier rules.
  let firing = oldest === nextAt && nextAt <= now ? nextAt : undefined;
  let next: number | undefined;
  for (const time of timesAfter(expression, oldest - 1)) {
    if (time > now) {
      next = time;
      break;
    }
    firing = time;
  }
  const until = firing ?? now + 1;
  return { firing, next, ...(nextAt < until ? { missed: { from: nextAt, until } } : {}) };
}

/**
 * Creates a function that is `planDueTimes` at the time `now`, for many schedules. Schedules with the same expression and the same time
 * share a plan: thousands may be due at once, and a search of each one's next time would take a quarter of the
 * processor time of this service. An expression that is refused has a plan with the refusal and without a next time, because
 * its schedule must not keep the others from firing.
 */
export function createDueTimePlanner(now: number): (expression: string, nextAt: number) => DueTimes {
  const plans = new Map<string, DueTimes>();
  return (expression, nextAt) => {
    const key = `${nextAt} ${expression}`;
    const plan = plans.get(key) ?? planOrRefusal(expression, nextAt, now);
    plans.set(key, plan);
    return plan;
  };
}

function planOrRefusal(expression: string, nextAt: number, now: number): DueTimes {
  try {
    return planDueTimes(expression, nextAt, now);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { firing: nextAt, refusal: { code: error.code, message: error.message } };
  }
}

/** The first `limit` nominal times in a range, and the rest of the range; no rest when these are all. */
export function missedTimes(
  expression: string,
  { from, until }: TimeRange,
  limit: number,
): { times: number[]; rest?: TimeRange } {
  const times: number[] = [];
  for (const time of timesAfter(expression, from - 1)) {
    if (time >= until) break;
    if (times.length === limit) return { times, rest: { from: time, until } };
    times.push(time);
  }
  return { times };
}

/** The first nominal time of a schedule that is switched on at `now`; null when it never fires (interpretation 38). */
export function firstTime(expression: string, now: number): Date | null {
  const next = nextTime(expression, now);
  return next === undefined ? null : new Date(next);
}
