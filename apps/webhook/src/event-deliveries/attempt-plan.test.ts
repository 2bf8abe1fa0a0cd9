import { deferralAfterFailures, pauseAfterDeliveryAttempt } from './attempt-plan';

const pauses = Array.from({ length: 10 }, (_, index) => pauseAfterDeliveryAttempt(index + 1, 0.5, 0));

test('the pauses grow from five seconds to twenty hours, and after the last attempt there is none', () => {
  const minutes = pauses.map((pause) => pause && pause / 60_000);
  expect(minutes).toEqual([5 / 60, 1, 5, 30, 120, 300, 600, 840, 1_200, undefined]);
});

test('all attempts of a delivery take between two and three days', () => {
  const hours = pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0) / 3_600_000;
  expect(hours).toBeGreaterThan(48);
  expect(hours).toBeLessThan(72);
});

test('pauses of deliveries that failed together differ by up to a tenth each way', () => {
  expect([pauseAfterDeliveryAttempt(2, 0, 0), pauseAfterDeliveryAttempt(2, 1, 0)]).toEqual([54_000, 66_000]);
});

test.each([
  ['that is longer than the planned one replaces it', 1, 60_000, 60_000],
  ['that is shorter than the planned one changes nothing', 3, 60_000, 300_000],
  ['that is longer than an hour counts as an hour', 1, 7_200_000, 3_600_000],
  ['after the last attempt brings no further attempt', 10, 60_000, undefined],
])('a requested pause %s', (_rule, attempt, askedMs, pauseMs) => {
  expect(pauseAfterDeliveryAttempt(attempt, 0.5, askedMs)).toBe(pauseMs);
});

test('a few failures defer nothing, and more of them defer what is due for up to 15 minutes', () => {
  expect([1, 2, 3].map(deferralAfterFailures)).toEqual([0, 0, 0]);
  expect([4, 5, 6].map(deferralAfterFailures)).toEqual([5_000, 10_000, 20_000]);
  expect(deferralAfterFailures(10_000)).toBe(900_000);
});
