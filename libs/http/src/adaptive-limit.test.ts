import { AdaptiveLimit } from './adaptive-limit';

const ON_TIME_MS = 0;
const LATE_MS = 10;
const VERY_LATE_MS = 40;

let limit: AdaptiveLimit;
beforeEach(() => void (limit = new AdaptiveLimit()));

/** Adjusts the limit `tenths` times, once for each tenth of a second, with this mean delay of timers. Returns the limit after each adjustment. */
function pass(tenths: number, delay: number, isInForce = true): number[] {
  return Array.from({ length: tenths }, () => {
    limit.adjust(delay, isInForce);
    return limit.value;
  });
}
const RELAXED_LIMIT = 16;
const isRelaxed = () => limit.value === RELAXED_LIMIT;

test('the limit shrinks to a quarter of a call while timers are late', () => {
  pass(50, VERY_LATE_MS, false);
  const limits = pass(8, LATE_MS);
  expect(limits.slice(0, 2)).toEqual([0.35, 0.25]);
  expect(limits.at(-1)).toBe(0.25);
});

test('the limit grows by a tenth of itself while timers are on time, up to 64 calls', () => {
  expect(pass(2, ON_TIME_MS)).toEqual([0.55, 0.55 * 1.1].map((value) => expect.closeTo(value)));
  pass(100, ON_TIME_MS);
  expect(limit.value).toBe(64);
});

test('a limit under which timers are as late as before is relaxed after two seconds', () => {
  pass(50, LATE_MS, false);
  expect(pass(19, LATE_MS).at(-1)).toBe(0.25);
  pass(1, LATE_MS);
  expect(isRelaxed()).toBe(true);
});

test('a limit above sixteen calls is not lowered to sixteen when it is relaxed', () => {
  pass(100, ON_TIME_MS);
  expect(pass(3, LATE_MS).slice(1)).toEqual([0.7 * 64, 0.7 * 64].map((value) => expect.closeTo(value)));
});

test('timers that are on time for a moment do not hide that the limit is no help', () => {
  pass(50, LATE_MS, false);
  for (let second = 0; second < 4 && !isRelaxed(); second += 1) {
    pass(9, LATE_MS);
    if (!isRelaxed()) pass(1, ON_TIME_MS);
  }
  expect(isRelaxed()).toBe(true);
});

test('a limit under which timers are less late than before stays', () => {
  pass(50, VERY_LATE_MS, false);
  expect(pass(100, LATE_MS).at(-1)).toBe(0.25);
});

test('a relaxed limit is tried again after a second, and after twice as long when that trial is in vain as well', () => {
  pass(50, LATE_MS, false);
  pass(20, LATE_MS);
  const isRelaxedIn = pass(60, LATE_MS).map((value) => value === RELAXED_LIMIT);
  expect(isRelaxedIn.indexOf(false)).toBe(9);
  expect(isRelaxedIn.indexOf(true, 10)).toBe(29);
  expect(isRelaxedIn.indexOf(false, 29)).toBe(49);
});

test('the limit begins anew after a moment in which no tenant is limited', () => {
  pass(50, ON_TIME_MS);
  pass(1, ON_TIME_MS, false);
  expect(limit.value).toBe(0.5);
});

test('timers that are late in every fourth moment only do not shrink the limit', () => {
  for (let count = 0; count < 25; count += 1) {
    pass(1, 4);
    pass(3, ON_TIME_MS);
  }
  expect(limit.value).toBeGreaterThan(16);
});
