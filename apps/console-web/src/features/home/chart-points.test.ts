import { chartPeriodOf, countedSince, pointsOf } from './chart-points';

const now = new Date('2026-11-22T20:30:00.000Z');
const outcomes = { FINALIZED: 1, TERMINATED: 2, STEP_LIMIT_REACHED: 3, ERROR: 4, STOPPED: 5, CRASHED: 6 };

test('the charts of a week have seven days of São Paulo, also those without a run', () => {
  const period = chartPeriodOf('week', now);
  const points = pointsOf(
    { buckets: [{ at: '2026-11-22T03:00:00.000Z', outcomes, p50Ms: 10, p95Ms: 20 }], since: period.from.toISOString() },
    period,
  );
  expect(points.map(({ at }) => at)).toEqual([16, 17, 18, 19, 20, 21, 22].map((day) => `2026-11-${day}T03:00:00.000Z`));
  expect(points.at(-1)).toMatchObject({ good: 3, failed: 13, stopped: 5, p50Ms: 10, p95Ms: 20 });
  expect(points[0]).toMatchObject({ good: 0, failed: 0, stopped: 0, p50Ms: null });
});

test('the charts of a day have 24 hours, the present one included', () => {
  const period = chartPeriodOf('day', now);
  const points = pointsOf({ buckets: [], since: period.from.toISOString() }, period);
  expect([points.length, points[0]?.at, points.at(-1)?.at]).toEqual([
    24,
    '2026-11-21T21:00:00.000Z',
    '2026-11-22T20:00:00.000Z',
  ]);
});

test('the charts leave out the days of a period whose runs were not counted, and say since when they were', () => {
  const period = chartPeriodOf('week', now);
  const answer = { buckets: [], since: '2026-11-20T12:00:00.000Z' };
  expect(pointsOf(answer, period).map(({ at }) => at)).toEqual(
    [20, 21, 22].map((day) => `2026-11-${day}T03:00:00.000Z`),
  );
  expect(countedSince(answer, period)?.toISOString()).toBe(answer.since);
  expect(countedSince({ since: period.from.toISOString() }, period)).toBeUndefined();
});

test('the charts of a month end with the present day of São Paulo, also when UTC has the next day already', () => {
  expect(chartPeriodOf('month', new Date('2026-11-23T01:00:00.000Z')).from.toISOString()).toBe(
    '2026-10-24T03:00:00.000Z',
  );
});
