import { nextTime, timesAfter } from '../cron/times';

/** How late the newest missed time may still be fired (interpretation 38). */
export const CATCH_UP_MILLISECONDS = 10 * 60_000;
/** A firing that starts later than this after its time is `late`. */
export const LATE_MILLISECONDS = 60_000;

/** What a schedule owes; instants in epoch milliseconds. */
export interface Due {
  /** To be fired now; undefined when all that was missed is too old. */
  firing?: number;
  /** Nominal times to be written down as missed: from inclusive, until exclusive. */
  missed?: { from: number; until: number };
  /** The first time to come. */
  next?: number;
}

/**
 * Of the times from `nextAt` (the first without a record, itself not after `now`) until `now`, the newest is fired if it
 * is of the last ten minutes, and the rest was missed. The work is the same however long the outage was.
 */
export function settleDue(expression: string, nextAt: number, now: number): Due {
  const oldest = Math.max(nextAt, now - CATCH_UP_MILLISECONDS);
  let firing: number | undefined;
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

/** Up to `most` of the nominal times of a missed stretch, and where it goes on; undefined when that was all. */
export function missedTimes(
  expression: string,
  { from, until }: { from: number; until: number },
  most: number,
): { times: number[]; rest?: { from: number; until: number } } {
  const times: number[] = [];
  for (const time of timesAfter(expression, from - 1)) {
    if (time >= until) break;
    if (times.length === most) return { times, rest: { from: time, until } };
    times.push(time);
  }
  return { times };
}

/** The time from which a schedule that is switched on goes on: the next one to come (interpretation 38). */
export function firstTime(expression: string, now: number): Date | null {
  const next = nextTime(expression, now);
  return next === undefined ? null : new Date(next);
}
