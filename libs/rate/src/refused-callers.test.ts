import type { RateAnswer } from './rate-limiter';
import { RefusedCallers } from './refused-callers';

const MINUTE_END = 60_000;
const answer: RateAnswer = {
  subject: 'credential:a',
  granted: false,
  limit: 5,
  remaining: 0,
  resetSeconds: 60,
  resetAt: MINUTE_END,
};
const refused = { answer, tenant: 'company', message: 'Too many.' };

function rememberedAt(start: number) {
  let now = start;
  const callers = new RefusedCallers(() => now);
  for (let n = 0; n < 2; n += 1) callers.remember('Bearer one', refused);
  return { callers, at: (time: number) => ((now = time), callers.find('Bearer one')) };
}

test('a refusal is repeated for less than a second, with the seconds that remain of the minute', () => {
  const { at } = rememberedAt(10_000);
  expect(at(10_999)).toEqual({ ...refused, answer: { ...answer, resetSeconds: 50 } });
  expect(at(11_000)).toBeUndefined();
});

test('no refusal is repeated to a caller that was refused once, or twice with more than a second between', () => {
  let now = 10_000;
  const callers = new RefusedCallers(() => now);
  callers.remember('Bearer one', refused);
  expect(callers.find('Bearer one')).toBeUndefined();
  now += 1_000;
  callers.remember('Bearer one', refused);
  expect(callers.find('Bearer one')).toBeUndefined();
});

test('no refusal is repeated after the clock was set back, and later ones are', () => {
  let now = 3_600_000;
  const callers = new RefusedCallers(() => now);
  const refuse = () => callers.remember('Bearer one', { ...refused, answer: { ...answer, resetAt: now + 30_000 } });
  refuse();
  refuse();
  now -= 60_000;
  expect(callers.find('Bearer one')).toBeUndefined();
  refuse();
  expect(callers.find('Bearer one')).toBeUndefined();
  refuse();
  expect(callers.find('Bearer one')).toBeDefined();
});

test('no refusal is repeated in the next minute', () => {
  const { at } = rememberedAt(MINUTE_END - 300);
  expect(at(MINUTE_END - 1)).toMatchObject({ message: 'Too many.' });
  expect(at(MINUTE_END)).toBeUndefined();
});

test('a caller that sends another secret, or none, gets no repeated refusal', () => {
  const { callers } = rememberedAt(10_000);
  expect([callers.find('Bearer two'), callers.find(undefined)]).toEqual([undefined, undefined]);
});

test('the oldest refusals are forgotten when there are very many', () => {
  const { callers, at } = rememberedAt(10_000);
  for (let n = 0; n < 10_000; n += 1) callers.remember(`Bearer other ${n}`, refused);
  callers.remember('Bearer other 9999', refused);
  expect(at(10_000)).toBeUndefined();
  expect(callers.find('Bearer other 9999')).toBeDefined();
});
