import { execution } from '@batuta/contracts';
import { createQueuedInstance, requestControl } from '../../test/instances';
import { creditsOf, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';
import { Ledger } from './ledger';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Spends a credit at the time `now`, when the plan of the company gives 100 each month. */
const spendOne = (companyID: string, now: string) =>
  world.store.transaction(async (tx) => {
    const ledger = await Ledger.lock(tx, new Date(now), new Map([[companyID, 100]]));
    ledger.post({ companyID, kind: 'start', amount: -1, instanceID: null });
    ledger.save();
  });

test('a start that began before the month changed spends from the month that another start has opened meanwhile', async () => {
  const { companyID } = await registerProcess(world.store);
  await spendOne(companyID, '2026-10-20T12:00:00Z');
  await spendOne(companyID, '2026-11-01T12:00:00Z');
  await spendOne(companyID, '2026-10-31T12:00:00Z');
  expect(await creditsOf(world.store, companyID)).toEqual({ balance: 98, ledger: 98 });
  await spendOne(companyID, '2026-11-01T12:00:01Z');
  expect(await creditsOf(world.store, companyID)).toEqual({ balance: 97, ledger: 97 });
});

test('the credits that are shown are those that a start spends, also when the clock is in the month before the one of the account', async () => {
  const { companyID } = await registerProcess(world.store);
  await spendOne(companyID, '2999-01-15T12:00:00Z');
  await world.store.write('UPDATE credit_account SET balance = 0 WHERE company_id = ?', [companyID]);
  const { balances } = await world.rpc.call(execution.credits, { companyIDs: [companyID] });
  const ledger = await world.store.transaction((tx) => Ledger.lock(tx, new Date(), new Map([[companyID, 100]])));
  expect(balances).toEqual({ [companyID]: ledger.balanceOf(companyID) });
});

const refundedOf = async (instanceID: string) => {
  const sql = "SELECT detail FROM audit_event WHERE instance_id = ? AND action = 'end'";
  const [event] = await world.store.rows<{ detail: string }>(sql, [instanceID]);
  const [entry] = await world.store.rows("SELECT 1 FROM credit_entry WHERE instance_id = ? AND kind = 'refund'", [
    instanceID,
  ]);
  return { refunded: JSON.parse(event?.detail ?? '{}').refunded, isInLedger: entry !== undefined };
};

test('the audit event of the end says of an instance that is stopped in the queue whether its credit is returned', async () => {
  const { instanceID, ...at } = await createQueuedInstance(world);
  await requestControl(world, at, instanceID, 'stop');
  expect(await refundedOf(instanceID)).toEqual({ refunded: true, isInLedger: true });
  const trigger = { kind: 'debug', accountID: at.ownerID, userName: 'Ana', executor: 'ana' } as const;
  const { instanceID: debugged } = await world.rpc.call(execution.start, startRequest(at, { trigger }));
  await requestControl(world, at, debugged, 'stop');
  expect(await refundedOf(debugged)).toEqual({ refunded: false, isInLedger: false });
});
