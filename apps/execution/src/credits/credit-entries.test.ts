import { execution } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { setActor, withRequestID } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { registerProcess, startWorld, type ExecutionWorld } from '../../test/world';

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

test('the entries of a recent period are found by as many statements in a long ledger as in a short one', async () => {
  const statementsOf = async ({ olderCount, firstID }: { olderCount: number; firstID: number }) => {
    const companyID = uuid();
    await world.store.write(
      `INSERT INTO credit_entry (entry_id, company_id, kind, amount, instance_id, created_at)
       SELECT ? + seq, ?, 'start', -1, UUID(), IF(seq <= ?, '2026-10-01', '2026-11-20') FROM seq_1_to_${olderCount + 20}`,
      [firstID, companyID, olderCount],
    );
    const read = jest.spyOn(Store.prototype, 'row');
    try {
      const period = { from: '2026-11-19T00:00:00Z', to: '2026-11-21T00:00:00Z' };
      const { entries } = await world.rpc.call(execution.creditEntries, { companyID, limit: 100, ...period });
      expect(entries).toHaveLength(20);
      return read.mock.calls.length;
    } finally {
      read.mockRestore();
    }
  };
  const short = await statementsOf({ olderCount: 100, firstID: 1_000_000 });
  expect(await statementsOf({ olderCount: 30_000, firstID: 2_000_000 })).toBe(short);
});

test('a period in the middle of a long ledger is found to its first and last entry', async () => {
  const companyID = uuid();
  // One entry a minute; every other id belongs to no entry of the company.
  await world.store.write(
    `INSERT INTO credit_entry (entry_id, company_id, kind, amount, instance_id, created_at)
     SELECT 5000000 + 2 * seq, ?, 'start', -seq, UUID(), '2026-11-01' + INTERVAL seq MINUTE FROM seq_1_to_20000`,
    [companyID],
  );
  const minute = (n: number) => new Date(Date.UTC(2026, 10, 1, 0, n)).toISOString();
  for (const first of [1, 2, 999, 10_000, 19_998]) {
    const period = { from: minute(first), to: minute(first + 3) };
    const { entries } = await world.rpc.call(execution.creditEntries, { companyID, limit: 100, ...period });
    expect(entries.map(({ amount }) => -amount)).toEqual([first + 2, first + 1, first]);
  }
});

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
