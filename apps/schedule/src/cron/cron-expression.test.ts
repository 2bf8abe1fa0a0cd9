import { ApiError } from '@batuta/errors';
import { parseCron } from './cron-expression';
import { timesAfter } from './nominal-times';

// A Thursday; São Paulo is three hours behind UTC all year.
const SEARCH_BEGIN = Date.parse('2026-11-19T12:00:00Z');

/** The first nominal times in the local time of São Paulo. */
function firstLocalTimes(expression: string, count: number): string[] {
  const local: string[] = [];
  for (const time of timesAfter(expression, SEARCH_BEGIN)) {
    local.push(new Date(time - 3 * 3_600_000).toISOString().slice(0, 16).replace('T', ' '));
    if (local.length === count) break;
  }
  return local;
}

test.each([
  ['* * * * *', ['2026-11-19 09:01', '2026-11-19 09:02']],
  ['*/15 * * * *', ['2026-11-19 09:15', '2026-11-19 09:30']],
  ['0 8 * * *', ['2026-11-20 08:00', '2026-11-21 08:00']],
  ['05 08 * * *', ['2026-11-20 08:05', '2026-11-21 08:05']],
  ['  0\t8  * * * ', ['2026-11-20 08:00', '2026-11-21 08:00']],
  ['0,30 9-10 * * *', ['2026-11-19 09:30', '2026-11-19 10:00']],
  ['10-40/15 9 * * *', ['2026-11-19 09:10', '2026-11-19 09:25']],
  ['0 0 1 1 *', ['2027-01-01 00:00', '2028-01-01 00:00']],
  ['0 0 1 JAN,jul *', ['2027-01-01 00:00', '2027-07-01 00:00']],
  ['0 0 1 feb-apr *', ['2027-02-01 00:00', '2027-03-01 00:00']],
  ['0 0 31 * *', ['2026-12-31 00:00', '2027-01-31 00:00']],
  ['0 0 29 2 *', ['2028-02-29 00:00', '2032-02-29 00:00']],
  ['0 0 * * MON-FRI', ['2026-11-20 00:00', '2026-11-23 00:00']],
  ['0 0 * * sun', ['2026-11-22 00:00', '2026-11-29 00:00']],
  ['0 0 * * 0', ['2026-11-22 00:00', '2026-11-29 00:00']],
  ['0 0 * * 7', ['2026-11-22 00:00', '2026-11-29 00:00']],
  ['0 0 * * 5-7', ['2026-11-20 00:00', '2026-11-21 00:00', '2026-11-22 00:00', '2026-11-27 00:00']],
  ['0 0 * * FRI-SUN', ['2026-11-20 00:00', '2026-11-21 00:00', '2026-11-22 00:00', '2026-11-27 00:00']],
  // Both day fields are restricted, so a day that matches one of them is enough.
  ['0 0 13 * 5', ['2026-11-20 00:00', '2026-11-27 00:00', '2026-12-04 00:00', '2026-12-11 00:00', '2026-12-13 00:00']],
  ['0 0 31 2 1', ['2027-02-01 00:00', '2027-02-08 00:00']],
  ['0 0 1-31/2 * MON', ['2026-11-21 00:00', '2026-11-23 00:00', '2026-11-25 00:00']],
  // A field with a star counts as unrestricted, so a day must match both.
  ['0 0 */2 * 1', ['2026-11-23 00:00', '2026-12-07 00:00']],
  ['0 0 13 * */5', ['2026-12-13 00:00', '2027-06-13 00:00']],
])('the nominal times of %s are %j', (expression, times) => {
  expect(firstLocalTimes(expression, times.length)).toEqual(times);
});

/** The form of every refusal; one of a single field names the field. */
const REFUSAL =
  /^cronExpression: (?:must have five fields: minute, hour, day of month, month, day of week$|is longer than 255 characters$|matches no date: |the field "(?:minute|hour|day of month|month|day of week)" (?:takes|has) )/;

test.each([
  [''],
  ['   '],
  ['* * * *'],
  ['* * * * * *'],
  ['0 * * * * *'],
  ['0 0 * * * * 2026'],
  ['@daily'],
  ['@every 5m'],
  ['* * * *\n*'],
  ['60 * * * *'],
  ['* 24 * * *'],
  ['* * 0 * *'],
  ['* * 32 * *'],
  ['* * * 0 *'],
  ['* * * 13 *'],
  ['* * * * 8'],
  ['-1 * * * *'],
  ['1.5 * * * *'],
  ['0x1 * * * *'],
  ['1e1 * * * *'],
  ['*/0 * * * *'],
  ['/5 * * * *'],
  ['5/15 * * * *'],
  ['*-5 * * * *'],
  ['30-10 * * * *'],
  ['1-2-3 * * * *'],
  ['1,,2 * * * *'],
  [', * * * *'],
  ['** * * * *'],
  ['? * * * *'],
  ['0 0 ? * *'],
  ['0 0 * * ?'],
  ['0 0 L * *'],
  ['0 0 LW * *'],
  ['0 0 15W * *'],
  ['0 0 * * 5L'],
  ['0 0 * * MON#1'],
  ['0 0 * * +1'],
  ['H * * * *'],
  ['JAN * * * *'],
  ['* * * MON *'],
  ['* * * * JAN'],
  ['* * * * monday'],
  ['* * * * MONTUE'],
  ['* * * january *'],
  ['0 0 30 2 *'],
  ['0 0 31 2 *'],
  ['0 0 31 4,6,9,11 *'],
  ['0 0 31 2 */2x'],
  ['a b c d e'],
  ['0 0 * * ségunda'],
  [`${'0,'.repeat(200)}0 * * * *`],
])('the cron expression %j is INVALID_CRON', (expression) => {
  expect(() => parseCron(expression)).toThrow(
    expect.objectContaining({ code: 'INVALID_CRON', message: expect.stringMatching(REFUSAL) }),
  );
});

/** Expressions of random parts, most of them wrong in one place; the same in every run. */
function* randomExpressions(count: number): Generator<string> {
  const parts = [
    '*',
    '0',
    '5',
    '07',
    '12',
    '31',
    '59',
    '60',
    '99',
    'jan',
    'DEC',
    'mon',
    'Sun',
    'L',
    'W',
    '#',
    '?',
    '+',
    'H',
  ];
  const separators = ['', ',', '-', '/', '-', '/', '.', 'x', '\n', '~'];
  let seed = 1;
  const pick = (from: string[]) => {
    seed = (seed * 16_807) % 2_147_483_647;
    return from[seed % from.length] ?? '';
  };
  const fieldOf = () => {
    let text = pick(parts);
    while (pick(['more', 'end']) === 'more') text += pick(separators) + pick(parts);
    return pick(['*', '*', text]);
  };
  for (let made = 0; made < count; made += 1) yield Array.from({ length: 5 }, fieldOf).join(' ');
}

test('a random expression is parsed, or its refusal names the field and what it takes', () => {
  const outcomes = { parsed: 0, refused: 0 };
  const unclearRefusals: unknown[] = [];
  for (const expression of randomExpressions(20_000)) {
    try {
      parseCron(expression);
      outcomes.parsed += 1;
    } catch (error) {
      outcomes.refused += 1;
      if (!(error instanceof ApiError && error.code === 'INVALID_CRON' && REFUSAL.test(error.message)))
        unclearRefusals.push([expression, error]);
    }
  }
  expect(unclearRefusals).toEqual([]);
  expect(Math.min(...Object.values(outcomes))).toBeGreaterThan(1_000);
});

const FORMS = 'in forms such as 5, 1-5, *, */2 and 1-5/2, separated by commas';

test.each([
  ['60 * * * *', 'the field "minute" takes 0 to 59, not 60'],
  ['0 8,24 * * *', 'the field "hour" takes 0 to 23, not 24'],
  ['0 0 0 * *', 'the field "day of month" takes 1 to 31, not 0'],
  ['0 0 1-32/2 * *', 'the field "day of month" takes 1 to 31, not 32'],
  ['0 0 * 13 *', 'the field "month" takes 1 to 12, not 13'],
  ['0 0 * 0 *', 'the field "month" takes 1 to 12, not 0'],
  ['0 0 * * 8', 'the field "day of week" takes 0 to 7, not 8'],
  ['-1 * * * *', `the field "minute" has "-1"; it takes 0 to 59 ${FORMS}`],
  ['0 1,,2 * * *', `the field "hour" has ""; it takes 0 to 23 ${FORMS}`],
  ['0 0 * * FRI-MON', 'the field "day of week" has the range "FRI-MON", which begins after its end'],
  ['0 0 * * 7-mon', 'the field "day of week" has the range "7-mon", which begins after its end'],
  ['0 0 * nov-feb/2 *', 'the field "month" has the range "nov-feb", which begins after its end'],
  ['30-10 * * * *', 'the field "minute" has the range "30-10", which begins after its end'],
  ['0 0 * * MON/2', 'the field "day of week" has "MON/2", whose step follows neither * nor a range'],
  ['0 0 * JANFEB *', `the field "month" has "JANFEB"; it takes 1 to 12 or jan to dec ${FORMS}`],
  ['0 0 * * monday', `the field "day of week" has "monday"; it takes 0 to 7 or sun to sat ${FORMS}`],
  ['0 0 * * mon-x', `the field "day of week" has "mon-x"; it takes 0 to 7 or sun to sat ${FORMS}`],
  ['0 0 L * *', `the field "day of month" has "L"; it takes 1 to 31 ${FORMS}`],
  ['*-5 * * * *', `the field "minute" has "*-5"; it takes 0 to 59 ${FORMS}`],
  ['1-2-3 * * * *', `the field "minute" has "1-2-3"; it takes 0 to 59 ${FORMS}`],
  ['*/0 * * * *', 'the field "minute" has the step 0, which is not from 1 to 60'],
  ['*/61 * * * *', 'the field "minute" has the step 61, which is not from 1 to 60'],
  ['* 1-5/25 * * *', 'the field "hour" has the step 25, which is not from 1 to 24'],
  ['* * * * */8', 'the field "day of week" has the step 8, which is not from 1 to 7'],
  ['0 0 30 2 *', 'matches no date: none of its months has one of its days'],
  ['0 0 1 dec-2 *', 'the field "month" has the range "dec-2", which begins after its end'],
  ['40-10/5 * * * *', 'the field "minute" has the range "40-10", which begins after its end'],
])('the refusal of %j names the field, and the value as it was written', (expression, problem) => {
  expect(() => parseCron(expression)).toThrow(expect.objectContaining({ message: `cronExpression: ${problem}` }));
});
