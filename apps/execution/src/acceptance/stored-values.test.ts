import { execution, type StartRequest, type Trigger } from '@batuta/contracts';
import { creditsOf, registerProcess, startRequest, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request);

test('a start that the database cannot store fails alone, and the others of its batch are accepted', async () => {
  const at = await registerProcess(world.store);
  const [first, second, third] = [startRequest(at), startRequest(at), startRequest(at)];
  const trigger: Trigger = { ...first.trigger, userName: 'x'.repeat(121) };
  const unstorable = startRequest(at, { trigger });
  const ends = await Promise.allSettled([first, second, unstorable, third].map(start));
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 97, ledger: 97 });
});

test('who starts, stops and is recorded may have an e-mail address that is longer than a stored executor', async () => {
  const at = await registerProcess(world.store);
  const executor = `${'a'.repeat(240)}@example.com`;
  const { trigger } = startRequest(at);
  const { instanceID } = await start(startRequest(at, { trigger: { ...trigger, executor } }));
  await world.rpc.call(execution.control, {
    instanceID,
    action: 'stop',
    viewer: { accountID: at.ownerID },
    executor,
  });
  const { processID, ownerID: accountID } = at;
  await world.rpc.call(execution.recordAudit, { processID, accountID, action: 'vault-keys', executor, detail: {} });
  const executors = await world.store.rows('SELECT action, executor FROM audit_event WHERE process_id = ?', [
    processID,
  ]);
  const stored = executor.slice(0, 120);
  expect(executors).toEqual(['start', 'stop', 'end', 'vault-keys'].map((action) => ({ action, executor: stored })));
});
