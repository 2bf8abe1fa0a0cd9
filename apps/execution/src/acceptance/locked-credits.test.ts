import { execution, type StartRequest } from '@batuta/contracts';
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
