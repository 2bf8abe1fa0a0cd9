import { IANAZone } from 'luxon';

/** Schedules are read in this zone (contract 2.9), with whatever its history of daylight saving is. */
export const ZONE_NAME = 'America/Sao_Paulo';

const zone = IANAZone.create(ZONE_NAME);
const MINUTE = 60_000;
/** Longer than any gap or repetition, so that the offsets before and after one are both seen. */
const DAY = 24 * 60 * MINUTE;

/** What the clocks of the zone show at an instant, as the epoch milliseconds at which clocks in UTC show the same. */
export function wallOf(instant: number): number {
  return instant + offsetAt(instant);
}

/**
 * The instant at which the clocks show `wall`. A time that daylight saving leaves out is the first instant after the
 * gap; a time that comes twice is its first coming (interpretation 38).
 */
export function instantOf(wall: number): number {
  const [earlier = wall, later = wall] = [wall - offsetAt(wall - DAY), wall - offsetAt(wall + DAY)].toSorted(
    (a, b) => a - b,
  );
  if (wallOf(earlier) === wall) return earlier;
  if (wallOf(later) === wall) return later;
  return firstInstantAfterGap(earlier, later);
}

/** ISO 8601 with the zone's offset, such as `2026-11-20T09:00:00-03:00`. */
export function localText(instant: number): string {
  const minutes = Math.round(offsetAt(instant) / MINUTE);
  const size = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return new Date(wallOf(instant)).toISOString().replace(/\.\d+Z$/, offset);
}

/** The clocks are put forward somewhere behind `before` and at `after` at the latest. */
function firstInstantAfterGap(before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offsetAt(before)) low = middle;
    else high = middle;
  }
  return high;
}

function offsetAt(instant: number): number {
  return zone.offset(instant) * MINUTE;
}
