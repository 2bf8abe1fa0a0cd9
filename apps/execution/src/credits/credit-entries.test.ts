import { execution, type CreditCorrection } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { setActor, withRequestID } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { addLoginSession } from '../../../../test/support/login-session';
import { registerProcess, startWorld, type ExecutionWorld } from '../../test/world';
import { creditEntries } from './credit-entries.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

test('the ledger of a company is read newest first, page by page and by period, without entries of other companies', async () => {
  const companyID = uuid();
  const day = (n: number) => new Date(Date.UTC(2026, 10, n));
  for (let n = 1; n <= 20; n += 1) {
    await world.store.write('INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at) VALUES ?', [
      [
        [companyID, 'start', -n, uuid(), day(n)],
        [uuid(), 'start', -100, uuid(), day(n)],
      ],
    ]);
  }
  const read = async (over: object) => {
    const { entries, older } = await world.rpc.call(execution.creditEntries, { companyID, limit: 100, ...over });
    return { amounts: entries.map(({ amount }) => amount), older };
  };
  const first = await read({ limit: 12 });
  expect(first.amounts).toEqual([-20, -19, -18, -17, -16, -15, -14, -13, -12, -11, -10, -9]);
  expect(await read({ before: first.older?.before })).toEqual({ amounts: [-8, -7, -6, -5, -4, -3, -2, -1] });
  const period = { from: day(5).toISOString(), to: day(8).toISOString() };
  expect(await read(period)).toEqual({ amounts: [-7, -6, -5] });
  const part = await read({ ...period, limit: 2 });
  expect((await read({ ...period, before: part.older?.before })).amounts).toEqual([-5]);
  expect((await read({ from: day(25).toISOString() })).amounts).toEqual([]);
  expect((await read({ to: day(1).toISOString() })).amounts).toEqual([]);
  const { entries } = await world.rpc.call(execution.creditEntries, { companyID, limit: 1 });
  expect(entries).toEqual([{ at: day(20).toISOString(), kind: 'start', amount: -20, instanceID: expect.any(String) }]);
});

describe('a page of a period', () => {
  const START = '2026-11-01';
  const minute = (n: number) => new Date(Date.UTC(2026, 10, 1, 0, n)).toISOString();

  /** A company with the entries 1 to `count`, in the order of their numbers; `time` = SQL of the time of entry `seq`. */
  async function makeLedger(count: number, time: string): Promise<string> {
    const companyID = uuid();
    await world.store.write(
      `INSERT INTO credit_entry (company_id, kind, amount, instance_id, created_at)
       SELECT ?, 'start', -seq, UUID(), ${time} FROM seq_1_to_${count}`,
      [companyID],
    );
    return companyID;
  }

  async function read(companyID: string, page: { from?: string; to?: string; limit?: number; before?: number }) {
    const { entries, older } = await world.rpc.call(execution.creditEntries, { companyID, limit: 100, ...page });
    return { entries: entries.map(({ amount }) => -amount), older };
  }

  /** The number of index entries that `work` reads. */
  const rowsRead = (work: (tx: Store) => Promise<unknown>) =>
    world.store.transaction(async (tx) => {
      const count = async () => {
        const rows = await tx.rows<{ Value: string }>("SHOW SESSION STATUS LIKE 'Handler_read%'");
        return rows.reduce((sum, { Value }) => sum + Number(Value), 0);
      };
      const before = await count();
      await work(tx);
      return (await count()) - before;
    });

  test('a page of the ledger reads as many rows in a long ledger as in a short one', async () => {
    const rowsOf = async (olderCount: number, newerCount: number) => {
      const time = `CASE WHEN seq <= ${olderCount} THEN '2026-10-01' WHEN seq <= ${olderCount + 20} THEN '2026-11-20' ELSE '2026-11-25' END`;
      const companyID = await makeLedger(olderCount + 20 + newerCount, time);
      const period = { from: '2026-11-19T00:00:00Z', to: '2026-11-21T00:00:00Z' };
      return rowsRead(async (tx) => {
        expect((await creditEntries(tx, companyID, { limit: 100, ...period })).entries).toHaveLength(20);
      });
    };
    const short = await rowsOf(10, 10);
    expect(await rowsOf(30_000, 10)).toBe(short);
    expect(await rowsOf(10, 30_000)).toBe(short);
  });

  test.each([
    ['of one entry', 1, `'${START}' + INTERVAL 5 MINUTE`],
    ['before a burst', 20_000, `'${START}' + INTERVAL IF(seq < 10, seq, 10) MINUTE`],
    ['after a burst', 20_000, `'${START}' + INTERVAL IF(seq <= 19990, 0, seq - 19990) MINUTE`],
    ['before a gap', 1_000, `'${START}' + INTERVAL IF(seq < 10, seq, seq + 100000) MINUTE`],
    ['after a gap', 1_000, `'${START}' + INTERVAL IF(seq <= 990, -100000, seq - 990) MINUTE`],
    ['in a ledger of one entry a minute', 20_000, `'${START}' + INTERVAL seq MINUTE`],
    ['whose times fall while numbers rise', 20_000, `'${START}' + INTERVAL 20000 - seq MINUTE`],
  ])('a period of the ledger %s has the entries of its time and no others', async (_, count, time) => {
    const companyID = await makeLedger(count, time);
    for (const [from, to] of [
      [1, 4],
      [5, 6],
      [7, 9],
    ] as const) {
      const inPeriod = await world.store.rows<{ n: number }>(
        `SELECT -amount AS n FROM credit_entry IGNORE INDEX (credit_entry_time) WHERE company_id = ? AND created_at >= ? AND created_at < ?
          ORDER BY created_at DESC`,
        [companyID, new Date(minute(from)), new Date(minute(to))],
      );
      const { entries } = await read(companyID, { from: minute(from), to: minute(to) });
      expect(entries).toEqual(inPeriod.map(({ n }) => n));
    }
  });

  test('a page of the ledger may end within entries of one time, and the next page begins after its last entry', async () => {
    const companyID = await makeLedger(30, `'${START}' + INTERVAL seq DIV 10 MINUTE`);
    const pages: number[][] = [];
    for (let before: number | undefined, isLast = false; !isLast;) {
      const { entries, older } = await read(companyID, { from: minute(1), to: minute(3), limit: 7, before });
      pages.push(entries);
      before = older?.before;
      isLast = before === undefined;
    }
    expect(pages.map(({ length }) => length)).toEqual([7, 7, 6]);
    expect(pages.flat()).toEqual(Array.from({ length: 20 }, (_, index) => 29 - index));
  });

  test('a page of the ledger is empty after an entry that is no longer kept, and after one of another company', async () => {
    const [companyID, otherID] = [await makeLedger(3, `'${START}'`), await makeLedger(1, `'${START}'`)];
    const { older } = await read(companyID, { limit: 2 });
    expect(older).toBeDefined();
    expect((await read(otherID, { before: older?.before })).entries).toEqual([]);
    await world.store.write('DELETE FROM credit_entry WHERE entry_id = ?', [older?.before]);
    expect(await read(companyID, { before: older?.before })).toEqual({ entries: [] });
  });
});

type Operator = Pick<CreditCorrection, 'operatorID' | 'sessionHash'>;

const CORRECTIONS: [what: string, correct: (companyID: string, by: Operator) => Promise<unknown>][] = [
  ['sets', (companyID, by) => world.rpc.call(execution.setCredits, { companyID, credits: 7, ...by })],
  ['adds', (companyID, by) => world.rpc.call(execution.correctCredits, { companyID, add: 7, ...by })],
];
const REVOCATIONS: [how: string, statement: string, code: string][] = [
  ['that is blocked', 'UPDATE account SET blocked = 1 WHERE account_id = ?', 'OWNER_INACTIVE'],
  ['whose session ends', 'DELETE FROM login_session WHERE account_id = ?', 'INVALID_CREDENTIAL'],
  [
    'whose session expires',
    'UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?',
    'INVALID_CREDENTIAL',
  ],
];

test.each(
  REVOCATIONS.flatMap(([how, ...end]) => CORRECTIONS.map(([what, correct]) => [how, what, ...end, correct] as const)),
)('an operator %s after the check of the console %s no credits', async (_, __, statement, code, correct) => {
  const [{ companyID }, by] = [await registerProcess(world.store), await addOperator()];
  const refusal = await callDuringChange(
    world.store,
    (tx) => tx.write(statement, [by.operatorID]),
    () => correct(companyID, by).catch((error: unknown) => error),
  );
  expect(refusal).toMatchObject({ code });
  expect(await world.rpc.call(execution.creditEntries, { companyID, limit: 10 })).toEqual({ entries: [] });
});

test.each(CORRECTIONS)('an operator with a valid session %s credits', async (_, correct) => {
  const { companyID } = await registerProcess(world.store);
  await correct(companyID, await addOperator());
  const { entries } = await world.rpc.call(execution.creditEntries, { companyID, limit: 1 });
  expect(entries).toMatchObject([{ kind: 'adjust' }]);
});

/** An account that is logged in; execution does not read its role. */
async function addOperator(): Promise<Operator & { operatorID: string }> {
  const { ownerID: operatorID } = await registerProcess(world.store);
  const { sessionHash } = await addLoginSession(world.store, operatorID);
  return { operatorID, sessionHash };
}

test('a repeated correction by difference writes one ledger row with its reason and one audit event', async () => {
  const { companyID } = await registerProcess(world.store);
  const [operatorID, id] = [uuid(), uuid()];
  const correct = (over: object) =>
    withRequestID('request-7', () => {
      setActor({ accountID: operatorID, address: '::ffff:192.0.2.7' });
      return world.rpc.call(execution.correctCredits, { companyID, id, reason: 'Goodwill', ...over });
    });
  const { balance } = await correct({ add: 5 });
  await Promise.all([correct({ add: 5 }), correct({ add: 5 })]);
  expect(await correct({ add: 5 })).toEqual({ balance });
  const { entries } = await world.rpc.call(execution.creditEntries, { companyID, limit: 10 });
  const adjusted = entries.filter(({ kind }) => kind === 'adjust');
  expect(adjusted).toEqual([
    { at: expect.any(String), kind: 'adjust', amount: 5, instanceID: null, reason: 'Goodwill' },
  ]);
  expect(await correct({ id: uuid(), credits: 3 })).toEqual({ balance: 3 });
  await expect(correct({ id: uuid(), add: -4 })).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  const events = await world.store.rows(
    'SELECT account_id, address, request_id, action, object_id, detail FROM management_event WHERE company_id = ? ORDER BY event_id',
    [companyID],
  );
  const event = {
    account_id: operatorID,
    address: '192.0.2.7',
    request_id: 'request-7',
    action: 'company.credits',
    object_id: companyID,
  };
  expect(events).toEqual([
    { ...event, detail: JSON.stringify({ amount: 5, balance, reason: 'Goodwill' }) },
    { ...event, detail: JSON.stringify({ amount: 3 - balance, balance: 3, reason: 'Goodwill' }) },
  ]);
});

test('a correction with the id of a correction of another company is a conflict and moves no credits', async () => {
  const [first, second] = [await registerProcess(world.store), await registerProcess(world.store)];
  const id = uuid();
  await world.rpc.call(execution.correctCredits, { companyID: first.companyID, id, add: 5, reason: 'Goodwill' });
  const again = world.rpc.call(execution.correctCredits, {
    companyID: second.companyID,
    id,
    add: 5,
    reason: 'Goodwill',
  });
  await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  const { companyID } = second;
  expect(await world.rpc.call(execution.creditEntries, { companyID, limit: 10 })).toEqual({ entries: [] });
});

test.each<[string, Partial<CreditCorrection>, Partial<CreditCorrection>, string]>([
  ['another difference', { add: 5 }, { add: 6 }, 'added 5'],
  ['a balance', { add: 0 }, { credits: 0 }, 'added 0'],
  ['another balance', { credits: 7 }, { credits: 8 }, 'set the balance to 7'],
  ['a difference', { credits: 7 }, { add: 7 }, 'set the balance to 7'],
])(
  'a correction by %s with the id of an earlier one is a conflict that names the earlier amount, and moves no credits',
  async (_, first, other, deed) => {
    const { companyID } = await registerProcess(world.store);
    const id = uuid();
    const correct = (by: Partial<CreditCorrection>) =>
      world.rpc.call(execution.correctCredits, { companyID, id, reason: 'Goodwill', ...by });
    const { balance } = await correct(first);
    await expect(correct(other)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: `id: the correction that has it ${deed}`,
    });
    expect(await world.rpc.call(execution.credits, { companyIDs: [companyID] })).toEqual({
      balances: { [companyID]: balance },
    });
  },
);

test('a correction whose id an earlier release stored without its amount is repeated without effect', async () => {
  const { companyID } = await registerProcess(world.store);
  const id = uuid();
  const first = await world.rpc.call(execution.correctCredits, { companyID, id, add: 5, reason: 'Goodwill' });
  await world.store.write('UPDATE credit_adjustment SET set_to = NULL, added = NULL WHERE adjustment_id = ?', [id]);
  expect(await world.rpc.call(execution.correctCredits, { companyID, id, add: 6, reason: 'Goodwill' })).toEqual(first);
});
