import type { ChartPoint } from './chart-points';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Distances between ticks whose multiples are short texts, such as `20 s` or `1 h 30 min`. */
const STEPS = [
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
const MAX_STEPS = 4;

/** The ticks of the axis of durations, in milliseconds. Ticks that its texts round, such as 1.4 s, look unevenly spaced. */
export function durationTicks(points: Pick<ChartPoint, 'p50Ms' | 'p95Ms'>[]): number[] {
  const longest = Math.max(1, ...points.flatMap(({ p50Ms, p95Ms }) => [p50Ms ?? 0, p95Ms ?? 0]));
  const step = STEPS.find((one) => longest <= one * MAX_STEPS) ?? Math.ceil(longest / MAX_STEPS / DAY_MS) * DAY_MS;
  return Array.from({ length: Math.ceil(longest / step) + 1 }, (_, index) => index * step);
}
