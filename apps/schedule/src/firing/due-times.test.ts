import { firstTime, missedTimes, createDueTimePlanner, planDueTimes, type TimeRange } from './due-times';

const timeAt = (text: string) => Date.parse(`2026-11-20T${text}:00Z`);
const shortTimeOf = (time: number | undefined) => time && new Date(time).toISOString().slice(11, 16);

// Columns, all in UTC: `nextAt`, now, the time to fire, the next time, and the missed range (from inclusive, until
// exclusive).
test.each<[string, string, string, string | undefined, string, [string, string] | undefined, string]>([
  ['* * * * *', '12:00', '12:00', '12:00', '12:01', undefined, 'on time'],
  [
    '* * * * *',
    '12:00',
    '12:01',
    '12:01',
    '12:02',
    ['12:00', '12:01'],
    'two times are due: the newest fires, the other was missed',
  ],
  ['* * * * *', '12:00', '12:30', '12:30', '12:31', ['12:00', '12:30'], 'half an hour of every minute'],
  ['0 * * * *', '12:00', '12:10', '12:00', '13:00', undefined, 'a time ten minutes ago still fires'],
  ['0 * * * *', '12:00', '12:11', undefined, '13:00', ['12:00', '12:11'], 'a time eleven minutes ago does not fire'],
  ['0 * * * *', '10:00', '12:05', '12:00', '13:00', ['10:00', '12:00'], 'only the newest of several hours fires'],
  ['0 * * * *', '10:00', '12:30', undefined, '13:00', ['10:00', '12:30'], 'none of several hours fires'],
  ['0 9 * * *', '12:00', '12:00', '12:00', '12:00', undefined, 'the next daily time is tomorrow'],
])(
  'the expression %s, due since %s and planned at %s, fires %s, next at %s, and misses %j: %s',
  (expression, nextAt, now, fired, next, missed) => {
    const due = planDueTimes(expression, timeAt(nextAt), timeAt(now));
    expect([shortTimeOf(due.firing), shortTimeOf(due.next)]).toEqual([fired, next]);
    expect(due.next).toBeGreaterThan(timeAt(now));
    expect([shortTimeOf(due.missed?.from), shortTimeOf(due.missed?.until)]).toEqual(missed ?? [undefined, undefined]);
    const nominal = missedTimes(expression, due.missed ?? { from: 0, until: 0 }, 1_000).times;
    expect(shortTimeOf(nominal[0])).toBe(missed?.[0]);
    expect(nominal).not.toContain(due.firing);
  },
);

test('schedules that are planned together share the search of one expression and time, and have the plans that they have alone', () => {
  const now = timeAt('12:05');
  const planOf = createDueTimePlanner(now);
  const schedules: [string, number][] = [
    ['0 * * * *', timeAt('12:00')],
    ['0 * * * *', timeAt('11:00')],
    ['*/5 * * * *', timeAt('12:00')],
  ];
  const plans = schedules.map(([expression, nextAt]) => planOf(expression, nextAt));
  expect(plans).toEqual(schedules.map(([expression, nextAt]) => planDueTimes(expression, nextAt, now)));
  expect(schedules.map(([expression, nextAt]) => planOf(expression, nextAt) === plans[0])).toEqual([
    true,
    false,
    false,
  ]);
});

test('a missed range of several years lists its first times and the rest of the range', () => {
  const [from, now] = [Date.parse('2020-01-01T00:00:00Z'), timeAt('12:00')];
  const { firing, missed } = planDueTimes('* * * * *', from, now);
  expect([firing, missed]).toEqual([now, { from, until: now }]);
  const first = missedTimes('* * * * *', { from, until: now }, 500);
  expect(first.times).toHaveLength(500);
  expect(first.rest).toEqual({ from: from + 500 * 60_000, until: now });
});

test('the bites of a missed range contain every nominal time once', () => {
  const listed: number[] = [];
  let rest: TimeRange | undefined = { from: timeAt('00:00'), until: timeAt('12:00') };
  while (rest) {
    const bite: ReturnType<typeof missedTimes> = missedTimes('*/7 * * * *', rest, 10);
    listed.push(...bite.times);
    rest = bite.rest;
  }
  expect(listed).toEqual(missedTimes('*/7 * * * *', { from: timeAt('00:00'), until: timeAt('12:00') }, 10_000).times);
  expect(new Set(listed).size).toBe(listed.length);
});

test('a schedule that is switched on fires first at the next nominal time', () => {
  expect(shortTimeOf(firstTime('0 9 * * *', timeAt('12:00'))?.getTime())).toBe('12:00');
  expect(firstTime('0 9 * * *', timeAt('12:00'))?.getTime()).toBe(timeAt('12:00') + 86_400_000);
});
