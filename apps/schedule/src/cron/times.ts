import { parseCron } from './expression';
import { instantOf, wallOf } from './zone';

/**
 * Generates the nominal times of an expression after an instant (epoch milliseconds), in order and each once. Throws
 * INVALID_CRON.
 */
export function* timesAfter(expression: string, instant: number): Generator<number, void> {
  const cron = parseCron(expression);
  let last = instant;
  // Wall times in a gap share one instant, and a repeated hour has its instants already: neither is after `last`.
  for (let wall = cron.nextRun(new Date(wallOf(instant))); wall !== null; wall = cron.nextRun(wall)) {
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
