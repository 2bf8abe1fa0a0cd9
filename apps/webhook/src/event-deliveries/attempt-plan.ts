const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Pauses after the first attempt, the second, and so on; after the attempt that has no pause the delivery is dead. */
const PAUSES_MS = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR];
/** Width of the range of a random pause, as a share of the planned pause, which is its middle. */
const JITTER_FRACTION = 0.2;
/** The longest pause for which an answer may ask; a longer one is cut to it. */
const MAX_REQUESTED_PAUSE_MS = HOUR;

/** Number of failed attempts in a row of one subscription, as one replica counts them, after which all its due deliveries wait. */
const FAILURES_BEFORE_DEFERRAL = 4;
/** The wait after FAILURES_BEFORE_DEFERRAL failures; it doubles with each further one, up to MAX_DEFERRAL_MS. */
export const FIRST_DEFERRAL_MS = 5 * SECOND;
const MAX_DEFERRAL_MS = 15 * MINUTE;

/**
 * The milliseconds after a failed attempt (`attempt` = 1 for the first) until the next one; undefined after the last one, whose failure ends the
 * delivery. `random` (0 to 1) makes the pause up to a tenth shorter or longer. `askedMs` = the pause for which the answer asked, 0 for none: it
 * replaces a shorter pause, and counts as an hour at most.
 */
export function pauseAfterDeliveryAttempt(attempt: number, random: number, askedMs: number): number | undefined {
  const pause = PAUSES_MS[attempt - 1];
  if (pause === undefined) return undefined;
  const planned = Math.round(pause * (1 + JITTER_FRACTION * (random - 0.5)));
  return Math.max(planned, Math.min(askedMs, MAX_REQUESTED_PAUSE_MS));
}

/** The milliseconds that the other due deliveries of a subscription wait after this number of failures in a row; 0 = they do not wait. */
export function deferralAfterFailures(failures: number): number {
  if (failures < FAILURES_BEFORE_DEFERRAL) return 0;
  const doublings = Math.min(failures - FAILURES_BEFORE_DEFERRAL, 20);
  return Math.min(FIRST_DEFERRAL_MS * 2 ** doublings, MAX_DEFERRAL_MS);
}
