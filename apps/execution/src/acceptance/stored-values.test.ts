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
