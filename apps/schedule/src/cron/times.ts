import { parseCron } from './expression';
import { instantOf, wallOf } from './zone';

/**
 * The nominal times of an expression after an instant (epoch milliseconds), in order and each once, as far as they are
 * asked for. Throws INVALID_CRON.
 */
export function* timesAfter(expression: string, instant: number): Generator<number, void> {
  const cron = parseCron(expression);
  let last = instant;
  // Wall times that a gap leaves out share one instant, and those of a repeated hour have been: both are behind `last`.
  for (let wall = cron.nextRun(new Date(wallOf(instant))); wall !== null; wall = cron.nextRun(wall)) {
    const time = instantOf(wall.getTime());
    if (time <= last) continue;
    last = time;
    yield time;
  }
}

/** The first nominal time after the instant; undefined when the calendar of the library ends before. */
export function nextTime(expression: string, instant: number): number | undefined {
  const next = timesAfter(expression, instant).next();
  return next.done ? undefined : next.value;
}
