import { setTimeout as sleep } from 'node:timers/promises';
import { hasSucceeded } from './callers.mjs';

const MIN_CALM_MS = 3_000;
const CALM_TIME_LIMIT_MS = 90_000;
const POLL_INTERVAL_MS = 100;

/**
 * Watches the load from now on. `untilCalm(atLeastMs)` resolves when no call has failed for three seconds and a start that was sent since has
 * been accepted and has run, not before `atLeastMs`, and after 90 seconds in any case. `recoveryMs` = the time from the beginning to the last of
 * these events: the last failed call, the first acceptance and the first run; Infinity without an acceptance or a run. With `runs: false` the
 * start need not run.
 */
export function watchPhase({ callers, effects, runs = true }) {
  const began = performance.now();
  const first = callers.calls.length;
  const measure = () => {
    const calls = callers.calls.slice(first);
    const failed = calls.filter((call) => !hasSucceeded(call));
    const starts = calls.filter((call) => call.kind === 'start' && call.from >= began && hasSucceeded(call));
    const acceptedAt = Math.min(...starts.map(({ to }) => to));
    const ranAt = runs ? firstRunOf(effects, began) : began;
    const lastFailureAt = Math.max(began, ...failed.map(({ to }) => to));
    return { calls, failed, acceptedAt, ranAt, lastFailureAt };
  };
  const untilCalm = async (atLeastMs = 0) => {
    for (;;) {
      const now = performance.now();
      const { acceptedAt, ranAt, lastFailureAt } = measure();
      const isCalm = now - lastFailureAt > MIN_CALM_MS && acceptedAt < now && ranAt < now;
      if ((isCalm && now - began > atLeastMs) || now - began > CALM_TIME_LIMIT_MS) return;
      await sleep(POLL_INTERVAL_MS);
    }
  };
  const measurements = () => {
    const { calls, failed, acceptedAt, ranAt, lastFailureAt } = measure();
    const answers = {};
    for (const { kind, name } of failed) answers[`${kind} ${name}`] = (answers[`${kind} ${name}`] ?? 0) + 1;
    return {
      calls: calls.length,
      answers,
      slowestMs: Math.max(0, ...calls.map(({ from, to }) => to - from)),
      recoveryMs: Math.max(lastFailureAt, acceptedAt, ranAt) - began,
    };
  };
  return { untilCalm, measurements };
}

/** The time of the first effect after `began`; Infinity when there is none. */
function firstRunOf({ calls }, began) {
  let first = Infinity;
  for (const { at } of calls.values()) if (at > began && at < first) first = at;
  return first;
}
