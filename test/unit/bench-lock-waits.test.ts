import { countWaits } from '../../bench/scale-out/lock-waits.cjs';
import { withoutValues } from '../../bench/sql-text.cjs';

test.each([
  ['values', "SELECT a FROM t WHERE b = 'it''s' AND c = 4.5", 'SELECT a FROM t WHERE b = ? AND c = ?'],
  ['the length of a list', 'SELECT a FROM t WHERE b IN (1, 2, 3)', 'SELECT a FROM t WHERE b IN (?)'],
  ['the number of rows', "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c')", 'INSERT INTO t VALUES (?)'],
  ['bytes and white space', "DELETE FROM t\n  WHERE b = x'0aff';", 'DELETE FROM t WHERE b = ?'],
])('texts of statements do not differ by %s', (_difference, sql, text) => {
  expect(withoutValues(sql)).toBe(text);
});

describe('countWaits', () => {
  const row = { lockTable: '`scale1`.`credit_account`', lockIndex: 'PRIMARY', mode: 'X' };
  const text = 'SELECT balance FROM credit_account WHERE company_id = 7 FOR UPDATE';

  test('waits of one statement for one lock are counted together over values and schemas, the most frequent first', () => {
    const rows = [
      { ...row, text: 'INSERT INTO credit_entry VALUES (1)', lockTable: '`scale1`.`credit_entry`' },
      { ...row, text },
      { ...row, text: text.replace('7', '8'), lockTable: '`scale2`.`credit_account`' },
    ];
    expect(countWaits(rows, 4)).toEqual([
      { text: withoutValues(text), lock: 'credit_account.PRIMARY', mode: 'X', waiting: 0.5 },
      { text: 'INSERT INTO credit_entry VALUES (?)', lock: 'credit_entry.PRIMARY', mode: 'X', waiting: 0.25 },
    ]);
  });

  test('waits of one statement for locks of different indexes or modes are counted separately', () => {
    const rows = [
      { ...row, text },
      { ...row, text, mode: 'S' },
      { ...row, text, lockIndex: 'by_period' },
    ];
    expect(countWaits(rows, 1)).toHaveLength(3);
  });

  test('a wait of a transaction that InnoDB shows without a statement is counted under a name of its own', () => {
    expect(countWaits([{ ...row, text: null }], 1)).toMatchObject([{ text: '(between statements)' }]);
  });

  test('waits are grouped by the beginning of their statement, because InnoDB cuts its end', () => {
    const long = `UPDATE t SET a = b WHERE ${'c = d AND '.repeat(20)}`;
    expect(
      countWaits(
        [
          { ...row, text: `${long} e = f` },
          { ...row, text: long },
        ],
        1,
      ),
    ).toMatchObject([{ waiting: 2 }]);
  });
});
