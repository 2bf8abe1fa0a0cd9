import { entryLimit } from '@batuta/async';
import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';

/** The time zone of every schedule (contract 2.9), including its past daylight saving changes. */
const ZONE_NAME = 'America/Sao_Paulo';

const SCHEDULE_ZONE = IANAZone.create(ZONE_NAME);
const MINUTE_MS = 60_000;
const MAX_CACHED_OFFSETS = 5_000;
/**
 * Longer than any daylight-saving gap or repetition, so that the offsets one day earlier and one day later are those
 * before and after the change.
 */
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Offsets in milliseconds, by instant. */
const offsets = new LRUCache<number, number>(entryLimit(MAX_CACHED_OFFSETS));

/** The local time of the zone at an instant: the epoch milliseconds at which UTC has the same date and time. */
export function wallTimeOf(instant: number): number {
  return instant + offsetAt(instant);
}

/**
 * The instant of the local time `wall`. A time that daylight saving skips becomes the first instant after the gap; of a
 * repeated time the first occurrence counts (interpretation 38).
 */
export function instantOf(wall: number): number {
  const [earlier = wall, later = wall] = [wall - offsetAt(wall - DAY_MS), wall - offsetAt(wall + DAY_MS)].toSorted(
    (a, b) => a - b,
  );
  if (wallTimeOf(earlier) === wall) return earlier;
  if (wallTimeOf(later) === wall) return later;
  return firstInstantAfterGap(earlier, later);
}

/** ISO 8601 with the zone's offset, such as `2026-11-20T09:00:00-03:00`. */
export function localText(instant: number): string {
  const minutes = Math.round(offsetAt(instant) / MINUTE_MS);
  const size = Math.abs(minutes);
  const two = (number: number) => String(number).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return new Date(wallTimeOf(instant)).toISOString().replace(/\.\d+Z$/, offset);
}

/** The instant at which the clocks go forward, which is after `before` and at most `after`. */
function firstInstantAfterGap(before: number, after: number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offsetAt(before)) low = middle;
    else high = middle;
  }
  return high;
}

/**
 * The offset of the zone in milliseconds. Intl takes ten times as long for it as all other work on a due schedule, and schedules that are due together
 * ask for the same instants.
 */
function offsetAt(instant: number): number {
  const known = offsets.get(instant);
  if (known !== undefined) return known;
  const offset = SCHEDULE_ZONE.offset(instant) * MINUTE_MS;
  offsets.set(instant, offset);
  return offset;
}
