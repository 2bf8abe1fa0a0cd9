import { execution, type Work } from '@batuta/contracts';
import { connect, register, startRequest, startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

test('each start that comes in while others are claimed is handed out once, with its own values', async () => {
  const at = await register(world.store, { credits: 10_000, matrix: [{ name: 'order', type: 'Texto' }] });
  const sessionID = await connect(world.store, at.environmentID);
  const sent = new Map<string, string>();
  const starter = async (name: string) => {
    for (let index = 0; index < 250; index += 1) {
      const order = `${name}-${index}`;
      const request = startRequest(at, { matrix: { order } });
      sent.set(request.instanceID, order);
      await world.rpc.call(execution.start, request);
    }
  };
  let over = false;
  const handedOut: Work[] = [];
  const claimer = async () => {
    for (let last = over; ; last = over) {
      const { work } = await world.rpc.call(execution.claim, { ...at, sessionID, limit: 50 });
      handedOut.push(...work);
      if (last && work.length === 0) return;
    }
  };
  const starters = ['a', 'b', 'c', 'd', 'e', 'f'].map(starter);
  await Promise.all([Promise.all(starters).finally(() => (over = true)), claimer(), claimer()]);

  const got = handedOut.map(({ instanceID, matrix }) => [instanceID, matrix.map(({ value }) => value).join()]);
  expect(got).toHaveLength(sent.size);
  expect(Object.fromEntries(got)).toEqual(Object.fromEntries(sent));
}, 60_000);
