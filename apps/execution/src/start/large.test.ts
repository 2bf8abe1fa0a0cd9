import { execution } from '@batuta/contracts';
import { countOf, register, startRequest, startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Together more than the database server takes in one message. */
const STARTS = 48;

test('starts that come together are accepted whatever their values weigh in all', async () => {
  const at = await register(world.store, { credits: 1_000, matrix: [{ name: 'order', type: 'Texto' }] });
  const order = 'x'.repeat(1_000_000);
  const requests = Array.from({ length: STARTS }, () => startRequest(at, { matrix: { order } }));
  await Promise.all(requests.map((request) => world.rpc.call(execution.start, request, { timeout: 20_000 })));
  const ids = requests.map(({ instanceID }) => instanceID);
  expect(await countOf(world.store, 'instance_input', 'instance_id IN (?) AND LENGTH(sealed) > 1000000', [ids])).toBe(
    STARTS,
  );
}, 30_000);
