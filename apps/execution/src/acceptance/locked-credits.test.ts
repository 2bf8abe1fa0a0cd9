import { execution, type StartRequest } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { isInProgress } from '../../test/statements';
import { countOf, creditsOf, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';

const STARTS = 8;

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request);

test('starts of a company whose credits another transaction has locked wait, and those of other companies do not', async () => {
  const [locked, opened, unopened] = [
    await registerProcess(world.store, { credits: 100 }),
    await registerProcess(world.store),
    await registerProcess(world.store),
  ];
  // Only the replica that accepts this start knows from then on which company the process charges.
  await start(startRequest(locked));
  await start(startRequest(opened));
  const starts = (at: typeof locked) => Array.from({ length: STARTS }, () => start(startRequest(at)));

  const waiting = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT balance FROM credit_account WHERE company_id = ? FOR UPDATE', [locked.companyID]);
    const startsOfLocked = Promise.all(starts(locked));
    startsOfLocked.catch(() => undefined);
    await Promise.all([...starts(opened), ...starts(unopened)]);
    expect(await countOf(world.store, 'instance', 'process_id = ?', [locked.processID])).toBe(1);
    return { startsOfLocked };
  });
  await waiting.startsOfLocked;
  expect(await creditsOf(world.store, locked.companyID)).toEqual({ balance: 99 - STARTS, ledger: 99 - STARTS });
});

test('a start that has waited for the credits of its company is decided by the facts after the wait', async () => {
  const at = await registerProcess(world.store);
  await start(startRequest(at));
  const request = startRequest(at);
  const { waiting } = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT balance FROM credit_account WHERE company_id = ? FOR UPDATE', [at.companyID]);
    const sent = start(request);
    sent.catch(() => undefined);
    await waitUntil('the start waits for the account', isInProgress(tx, 'credit_account%FOR UPDATE'));
    await tx.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [at.ownerID]);
    return { waiting: sent };
  });
  await expect(waiting).rejects.toMatchObject({ code: 'OWNER_INACTIVE' });
  expect(await countOf(world.store, 'instance', 'instance_id = ?', [request.instanceID])).toBe(0);
});
