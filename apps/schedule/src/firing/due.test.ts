import { firstTime, missedTimes, settleDue } from './due';

const at = (text: string) => Date.parse(`2026-11-20T${text}:00Z`);
const shown = (time: number | undefined) => time && new Date(time).toISOString().slice(11, 16);

// `nextAt` and now in UTC; what is fired, what goes on, what was missed (from inclusive, until exclusive).
test.each<[string, string, string, string | undefined, string, [string, string] | undefined, string]>([
  ['* * * * *', '12:00', '12:00', '12:00', '12:01', undefined, 'on time'],
  ['* * * * *', '12:00', '12:01', '12:01', '12:02', ['12:00', '12:01'], 'two due: the newest, and one missed'],
  ['* * * * *', '12:00', '12:30', '12:30', '12:31', ['12:00', '12:30'], 'half an hour of every minute'],
  ['0 * * * *', '12:00', '12:10', '12:00', '13:00', undefined, 'ten minutes late is still fired'],
  ['0 * * * *', '12:00', '12:11', undefined, '13:00', ['12:00', '12:11'], 'eleven minutes late is not'],
  ['0 * * * *', '10:00', '12:05', '12:00', '13:00', ['10:00', '12:00'], 'only the newest of several hours'],
  ['0 * * * *', '10:00', '12:30', undefined, '13:00', ['10:00', '12:30'], 'none of several hours'],
  ['0 9 * * *', '12:00', '12:00', '12:00', '12:00', undefined, 'daily: the same time tomorrow'],
])(
  '%s due from %s, now %s: fires %s, goes on at %s, missed %j (%s)',
  (expression, nextAt, now, fired, next, missed) => {
    const due = settleDue(expression, at(nextAt), at(now));
    expect([shown(due.firing), shown(due.next)]).toEqual([fired, next]);
    expect(due.next).toBeGreaterThan(at(now));
    expect([shown(due.missed?.from), shown(due.missed?.until)]).toEqual(missed ?? [undefined, undefined]);
    const nominal = missedTimes(expression, due.missed ?? { from: 0, until: 0 }, 1_000).times;
    expect(shown(nominal[0])).toBe(missed?.[0]);
    expect(nominal).not.toContain(due.firing);
  },
);

test('years of every minute are no more work than a minute, and are written down in stretches', () => {
  const [from, now] = [Date.parse('2020-01-01T00:00:00Z'), at('12:00')];
  const { firing, missed } = settleDue('* * * * *', from, now);
  expect([firing, missed]).toEqual([now, { from, until: now }]);
  const first = missedTimes('* * * * *', { from, until: now }, 500);
  expect(first.times).toHaveLength(500);
  expect(first.rest).toEqual({ from: from + 500 * 60_000, until: now });
});

test('the stretches of a missed time are all of its nominal times, each once', () => {
  const written: number[] = [];
  let rest: { from: number; until: number } | undefined = { from: at('00:00'), until: at('12:00') };
  while (rest) {
    const part: ReturnType<typeof missedTimes> = missedTimes('*/7 * * * *', rest, 10);
    written.push(...part.times);
    rest = part.rest;
  }
  expect(written).toEqual(missedTimes('*/7 * * * *', { from: at('00:00'), until: at('12:00') }, 10_000).times);
  expect(new Set(written).size).toBe(written.length);
});

test('switching on starts with the next time to come', () => {
  expect(shown(firstTime('0 9 * * *', at('12:00'))?.getTime())).toBe('12:00');
  expect(firstTime('0 9 * * *', at('12:00'))?.getTime()).toBe(at('12:00') + 86_400_000);
});
