import { countsOfToday } from './today-counts';

const outcomes = { FINALIZED: 1, TERMINATED: 2, STEP_LIMIT_REACHED: 3, ERROR: 4, STOPPED: 5, CRASHED: 6 };

test.each([
  ['2026-11-27T03:00:00.000Z', false],
  ['2026-11-27T11:20:00.123Z', true],
])('counts since %s may leave out runs of today: %s', (since, more) => {
  const counts = countsOfToday({ outcomes, since, buckets: [], p50Ms: null, p95Ms: null });
  expect(counts).toEqual({ good: { count: 3, more }, failed: { count: 13, more } });
});
