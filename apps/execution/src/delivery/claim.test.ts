import { execution, type Work } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';
import { connect, countOf, register, startRequest, startWorld, type World } from '../../test/world';

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
});

test('what was sealed under a key that is gone stays queued, and holds up nothing behind it', async () => {
  const flow = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
  const [at, vault] = [await register(world.store), await register(world.store, { flow })];
  const sessionID = await connect(world.store, at.environmentID);
  const gone = new KeyRing(`k9:${randomBytes(32).toString('base64')}`);
  const [shut, shutVault, good] = [startRequest(at), startRequest(vault), startRequest(at)];
  for (const request of [shut, shutVault, good]) await world.rpc.call(execution.start, request);
  const sealed = (context: string) => gone.seal('[]', context);
  await world.store.write('UPDATE instance_input SET sealed = ? WHERE instance_id = ?', [
    sealed(`instance:${shut.instanceID}`),
    shut.instanceID,
  ]);
  await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
    vault.ownerID,
    'TOKEN',
    sealed(`vault:${vault.ownerID}:TOKEN`),
  ]);
  await world.store.write('UPDATE instance SET environment_id = ? WHERE instance_id = ?', [
    at.environmentID,
    shutVault.instanceID,
  ]);
  const claim = { environmentID: at.environmentID, sessionID, limit: 5, waitMilliseconds: 200 };
  const { work } = await world.rpc.call(execution.claim, claim);
  expect(work.map(({ instanceID }) => instanceID)).toEqual([good.instanceID]);
  expect((await world.rpc.call(execution.claim, claim)).work).toEqual([]);
  // Nor a claim that asks for no more than cannot be opened: it is answered, and gets what is behind.
  expect((await world.rpc.call(execution.claim, { ...claim, limit: 2 })).work).toEqual([]);
  const later = Array.from({ length: 25 }, () => startRequest(at));
  for (const request of later) await world.rpc.call(execution.start, request);
  const handedOut: string[] = [];
  for (const limit of [1, 2, 1]) {
    const { work: next } = await world.rpc.call(execution.claim, { ...claim, limit });
    handedOut.push(...next.map(({ instanceID }) => instanceID));
  }
  handedOut.push(...(await world.rpc.call(execution.claim, { ...claim, limit: 50 })).work.map((one) => one.instanceID));
  expect(handedOut).toEqual(later.map(({ instanceID }) => instanceID));
  const where = "instance_id IN (?) AND status = 'queued'";
  expect(await countOf(world.store, 'instance', where, [[shut.instanceID, shutVault.instanceID]])).toBe(2);
});
