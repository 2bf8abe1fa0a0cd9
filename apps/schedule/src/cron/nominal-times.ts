import { parseCron } from './cron-expression';
import { instantOf, wallTimeOf } from './time-zone';

/**
 * Generates the nominal times of an expression after an instant (epoch milliseconds), in order and each once. Throws
 * INVALID_CRON.
 */
export function* timesAfter(expression: string, instant: number): Generator<number, void> {
  const cron = parseCron(expression);
  let last = instant;
  // Local times in a daylight-saving gap share one instant, and those of a repeated hour were generated before, so neither is
  // later than `last`.
  for (let wall = cron.nextRun(new Date(wallTimeOf(instant))); wall !== null; wall = cron.nextRun(wall)) {
    const time = instantOf(wall.getTime());
    if (time <= last) continue;
    last = time;
    yield time;
  }
}

/** The first nominal time after the instant; undefined when croner's calendar ends before it. */
export function nextTime(expression: string, instant: number): number | undefined {
  const next = timesAfter(expression, instant).next();
  return next.done ? undefined : next.value;
}
