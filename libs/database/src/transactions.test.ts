import { INSERT_ACCOUNT_SQL, openTestStores, STORE_KINDS, type TestStores } from '../test/stores';
import { BoundedPool } from './bounded-pool';
import { isContention, isDuplicate, type Store } from '.';

let stores: TestStores;
beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores?.close());

const countCreditAccounts = async () =>
  (await stores.plain.row<{ n: number }>('SELECT COUNT(*) AS n FROM credit_account'))?.n;

test.each(STORE_KINDS)('a %s transaction that fails writes nothing', async (_, kind) => {
  const failing = stores[kind].transaction(async (tx) => {
    tx.atCommit(INSERT_ACCOUNT_SQL, ['a2', 1, '2026-01']);
    await tx.write(INSERT_ACCOUNT_SQL, ['a', 1, '2026-01']);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await countCreditAccounts()).toBe(0);
});

test.each(STORE_KINDS)(
  'a %s transaction runs concurrent statements in order and the statements of atCommit last',
  async (name, kind) => {
    const balance = async (from: Store) =>
      (await from.row<{ balance: number }>('SELECT balance FROM credit_account WHERE company_id = ?', [name]))?.balance;
    const seen = await stores[kind].transaction(async (tx) => {
      tx.atCommit('UPDATE credit_account SET balance = balance * 10 WHERE company_id = ?', [name]);
      tx.atCommit("UPDATE credit_account SET balance = balance + 7, period = ';--?' WHERE company_id = ?", [name]);
      const [written, first] = await Promise.all([tx.write(INSERT_ACCOUNT_SQL, [name, 4, "';"]), balance(tx)]);
      return [written.affectedRows, first, await balance(tx), await balance(stores.plain)];
    });
    expect(seen).toEqual([1, 4, 4, undefined]);
    expect(await balance(stores.plain)).toBe(47);
  },
);

test.each(STORE_KINDS)(
  'a %s statement for which the disk of the server has no room is UNAVAILABLE',
  async (_, kind) => {
    for (const number of [1021, 1114]) {
      const full = `SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = ${number}, MESSAGE_TEXT = 'The table is full'`;
      const expected = { code: 'UNAVAILABLE', message: expect.stringContaining('disk of the database is full') };
      await expect(stores[kind].write(full)).rejects.toMatchObject(expected);
      await expect(stores[kind].transaction((tx) => tx.write(full))).rejects.toMatchObject(expected);
    }
  },
);

test('an error in a pipelined transaction rejects every statement of the message and rolls back', async () => {
  await stores.plain.write(INSERT_ACCOUNT_SQL, ['twin', 1, '2026-01']);
  const settled: PromiseSettledResult<unknown>[] = [];
  const failing = stores.pipelined.transaction(async (tx) => {
    const statements = [
      tx.write(INSERT_ACCOUNT_SQL, ['other', 1, '2026-01']),
      tx.write(INSERT_ACCOUNT_SQL, ['twin', 1, '2026-01']),
    ];
    settled.push(...(await Promise.allSettled(statements)));
    await Promise.all(statements);
  });
  expect(isDuplicate(await failing.catch((fault: unknown) => fault))).toBe(true);
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await stores.plain.row("SELECT 1 AS there FROM credit_account WHERE company_id = 'other'")).toBeUndefined();
});

test('a duplicate key in a statement of atCommit rolls back', async () => {
  await stores.plain.write(INSERT_ACCOUNT_SQL, ['taken', 1, '2026-01']);
  const failing = stores.pipelined.transaction(async (tx) => {
    await tx.write(INSERT_ACCOUNT_SQL, ['before', 1, '2026-01']);
    tx.atCommit(INSERT_ACCOUNT_SQL, ['taken', 1, '2026-01']);
  });
  expect(isDuplicate(await failing.catch((fault: unknown) => fault))).toBe(true);
  expect(await stores.plain.row("SELECT 1 AS there FROM credit_account WHERE company_id = 'before'")).toBeUndefined();
});

test('statements of atCommit that exceed one message are all written', async () => {
  const [limit] = await stores.plain.rows<{ most: number }>('SELECT @@max_allowed_packet AS most');
  const text = 'x'.repeat((limit?.most ?? 0) / 8);
  await stores.pipelined.transaction(async (tx) => {
    for (let index = 0; index < 10; index += 1) {
      tx.atCommit(`INSERT INTO credit_account (company_id, balance, period) VALUES (?, LENGTH(?), '2026-01')`, [
        `weight ${index}`,
        text,
      ]);
    }
  });
  const rows = await stores.plain.rows("SELECT balance FROM credit_account WHERE company_id LIKE 'weight %'");
  expect(rows).toEqual(Array.from({ length: 10 }, () => ({ balance: text.length })));
});

test.each([
  ['short', ''],
  ['long', 'x'.repeat(50_000)],
])('%s statements of atCommit write values unchanged, and nothing after an error', async (length, padding) => {
  const write =
    'INSERT INTO vault_secret (account_id, vault_key, sealed, updated_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))';
  const texts = ["'; END */ /*M! ; END; --", '/*M! ; END */', 'BEGIN NOT ATOMIC \\'].map((text) => text + padding);
  const end = (keys: string[]) =>
    stores.pipelined.transaction(async (tx) => {
      for (const [index, key] of keys.entries()) tx.atCommit(write, [length, key, texts[index]]);
    });
  const stored = async () =>
    (
      await stores.plain.rows<{ text: string }>(
        'SELECT CONVERT(sealed USING utf8mb4) AS text FROM vault_secret WHERE account_id = ? ORDER BY vault_key',
        [length],
      )
    ).map(({ text }) => text);
  expect(isDuplicate(await end(['a', 'b', 'b']).catch((fault: unknown) => fault))).toBe(true);
  expect(await stored()).toEqual([]);
  await end(['a', 'b', 'c']);
  expect(await stored()).toEqual(texts);
});

test('isDuplicate is true only for a violated key', async () => {
  await stores.plain.write(INSERT_ACCOUNT_SQL, ['b', 1, '2026-01']);
  const error: unknown = await stores.plain
    .write(INSERT_ACCOUNT_SQL, ['b', 1, '2026-01'])
    .catch((fault: unknown) => fault);
  expect(isDuplicate(error)).toBe(true);
  expect(isDuplicate(new Error('other'))).toBe(false);
});

test.each(STORE_KINDS)('two %s transactions that deadlock both commit', async (name, kind) => {
  const [x, y] = [`${name} x`, `${name} y`];
  await stores.plain.write(INSERT_ACCOUNT_SQL, [x, 0, '2026-01']);
  await stores.plain.write(INSERT_ACCOUNT_SQL, [y, 0, '2026-01']);
  const add = 'UPDATE credit_account SET balance = balance + 1 WHERE company_id = ?';
  let release = () => {};
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  let arrived = 0;
  const cross = (first: string, second: string) =>
    stores[kind].transaction(async (tx) => {
      await tx.write(add, [first]);
      arrived += 1;
      if (arrived === 2) release();
      await both;
      await tx.write(add, [second]);
    });
  await Promise.all([cross(x, y), cross(y, x)]);
  const rows = await stores.plain.rows('SELECT balance FROM credit_account WHERE company_id IN (?)', [[x, y]]);
  expect(rows).toEqual([{ balance: 2 }, { balance: 2 }]);
});

/** Makes the next `times` statements outside of a transaction fail as if another transaction, here or at another node, had aborted them. */
function loseStatements(times: number): jest.SpyInstance {
  const spy = jest.spyOn(BoundedPool.prototype, 'query');
  const lost = Object.assign(new Error('Deadlock found when trying to get lock'), { code: 'ER_LOCK_DEADLOCK' });
  for (let time = 0; time < times; time += 1) {
    spy.mockImplementationOnce((_sql, _parameters, done) => Reflect.apply(done, undefined, [lost]));
  }
  return spy;
}

test('a statement outside of a transaction that loses against another transaction runs again', async () => {
  const spy = loseStatements(3);
  expect((await stores.plain.write(INSERT_ACCOUNT_SQL, ['lost', 1, '2026-01'])).affectedRows).toBe(1);
  expect(spy).toHaveBeenCalledTimes(4);
  spy.mockRestore();
});

test('a statement or transaction that loses against others four times is UNAVAILABLE, and is still recognized as contention', async () => {
  const spy = loseStatements(4);
  const alone: unknown = await stores.plain.rows('SELECT 1').catch((fault: unknown) => fault);
  spy.mockRestore();
  let attempts = 0;
  const whole: unknown = await stores.plain
    .transaction(async () => {
      attempts += 1;
      throw Object.assign(new Error('certification failed'), { code: 'ER_LOCK_DEADLOCK' });
    })
    .catch((fault: unknown) => fault);
  expect(attempts).toBe(4);
  for (const error of [alone, whole]) {
    expect(error).toMatchObject({ code: 'UNAVAILABLE' });
    expect(isContention(error)).toBe(true);
  }
});
