import type { ChartPoint } from './chart-points';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Distances between ticks, in milliseconds, whose multiples are short texts, such as `20 s` or `1 h 30 min`. */
const TICK_DISTANCES_MS = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  ...[1, 2, 5, 10, 20, 30].map((count) => count * SECOND_MS),
  ...[1, 2, 5, 10, 20, 30].map((count) => count * MINUTE_MS),
  ...[1, 2, 6, 12].map((count) => count * HOUR_MS),
];
/** The maximum number of distances between ticks. */
const MAX_DISTANCES = 4;

/**
 * The ticks of the axis of durations, in milliseconds from 0. They are multiples of TICK_DISTANCES_MS or of a day, because a tick whose
 * text is rounded, such as 1.4 s, looks misplaced.
 */
export function durationTicks(points: Pick<ChartPoint, 'p50Ms' | 'p95Ms'>[]): number[] {
  const longest = Math.max(1, ...points.flatMap(({ p50Ms, p95Ms }) => [p50Ms ?? 0, p95Ms ?? 0]));
  const distance =
    TICK_DISTANCES_MS.find((one) => longest <= one * MAX_DISTANCES) ??
    Math.ceil(longest / MAX_DISTANCES / DAY_MS) * DAY_MS;
  return Array.from({ length: Math.ceil(longest / distance) + 1 }, (_, index) => index * distance);
}
