import { creditsOf, registerProcess, startWorld, type ExecutionWorld } from '../../test/world';
import { Ledger } from './ledger';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

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
