import { execution, notifications, type InstanceWork } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';
import { waitUntil } from '../../../../test/support/wait-until';
import { claimOnce, followChanges, createQueuedInstance, viewerOf } from '../../test/instances';
import {
  allowVaultKeys,
  connectAgent,
  countOf,
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
} from '../../test/world';
import { NO_VERSION } from '../instances/sealed-input';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

test('instances that start during claims are claimed once each, with their own values', async () => {
  const at = await registerProcess(world.store, { credits: 10_000, matrix: [{ name: 'order', type: 'Texto' }] });
  const sessionID = await connectAgent(world.store, at.environmentID);
  const sent = new Map<string, string>();
  const starter = async (name: string) => {
    for (let index = 0; index < 100; index += 1) {
      const order = `${name}-${index}`;
      const request = startRequest(at, { matrix: { order } });
      sent.set(request.instanceID, order);
      await world.rpc.call(execution.start, request);
    }
  };
  let done = false;
  const claimed: InstanceWork[] = [];
  const claimer = async () => {
    for (let last = done; ; last = done) {
      const { work } = await world.rpc.call(execution.claim, { ...at, sessionID, limit: 50 });
      claimed.push(...work);
      if (last && work.length === 0) return;
    }
  };
  const starters = ['a', 'b', 'c', 'd', 'e', 'f'].map(starter);
  await Promise.all([Promise.all(starters).finally(() => (done = true)), claimer(), claimer()]);

  const values = claimed.map(({ instanceID, matrix }) => [instanceID, matrix.map(({ value }) => value).join()]);
  expect(values).toHaveLength(sent.size);
  expect(Object.fromEntries(values)).toEqual(Object.fromEntries(sent));
});

test('an instance that was sealed under a removed key stays queued and does not block the instances behind it', async () => {
  const flow = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
  const [at, vault] = [await registerProcess(world.store), await registerProcess(world.store, { flow })];
  const sessionID = await connectAgent(world.store, at.environmentID);
  const removedKeys = new KeyRing(`k9:${randomBytes(32).toString('base64')}`);
  const [badInput, badVault, good] = [startRequest(at), startRequest(vault), startRequest(at)];
  for (const request of [badInput, badVault, good]) await world.rpc.call(execution.start, request);
  const sealed = (context: string) => removedKeys.seal('[]', context);
  await world.store.write('UPDATE instance_input SET sealed = ? WHERE instance_id = ?', [
    sealed(`instance:${badInput.instanceID}`),
    badInput.instanceID,
  ]);
  await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
    vault.ownerID,
    'TOKEN',
    sealed(`vault:${vault.ownerID}:TOKEN`),
  ]);
  await world.store.write('UPDATE instance SET environment_id = ? WHERE instance_id = ?', [
    at.environmentID,
    badVault.instanceID,
  ]);
  await world.store.write('UPDATE environment SET shared = 1, company_id = ? WHERE environment_id = ?', [
    vault.companyID,
    at.environmentID,
  ]);
  const claim = { environmentID: at.environmentID, sessionID, limit: 5, waitMilliseconds: 200 };
  const { work } = await world.rpc.call(execution.claim, claim);
  expect(work.map(({ instanceID }) => instanceID)).toEqual([good.instanceID]);
  expect((await world.rpc.call(execution.claim, claim)).work).toEqual([]);
  // The two unreadable instances fill the first page of this claim, and nothing is queued behind them.
  expect((await world.rpc.call(execution.claim, { ...claim, limit: 2 })).work).toEqual([]);
  const later = Array.from({ length: 25 }, () => startRequest(at));
  for (const request of later) await world.rpc.call(execution.start, request);
  const claimed: string[] = [];
  for (const limit of [1, 2, 1]) {
    const { work: next } = await world.rpc.call(execution.claim, { ...claim, limit });
    claimed.push(...next.map(({ instanceID }) => instanceID));
  }
  claimed.push(...(await world.rpc.call(execution.claim, { ...claim, limit: 50 })).work.map((one) => one.instanceID));
  expect(claimed).toEqual(later.map(({ instanceID }) => instanceID));
  const where = "instance_id IN (?) AND status = 'queued'";
  expect(await countOf(world.store, 'instance', where, [[badInput.instanceID, badVault.instanceID]])).toBe(2);
});

test('a claim takes the oldest instances first and once, with everything that an agent needs', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'total', type: 'Moeda', default: 2 }] });
  const sessionID = await connectAgent(world.store, at.environmentID);
  const ids: string[] = [];
  for (let n = 0; n < 5; n += 1) ids.push((await world.rpc.call(execution.start, startRequest(at))).instanceID);
  const claims = await Promise.all(Array.from({ length: 4 }, () => claimOnce(world, { ...at, sessionID }, 2)));
  const claimedWork = claims.flat();
  expect(claimedWork.map(({ instanceID }) => instanceID).toSorted()).toEqual(ids.toSorted());
  expect(claimedWork[0]).toMatchObject({
    fence: 1,
    version: '1',
    userName: 'erp',
    flow: { start: 'a', steps: [] },
    matrix: [{ name: 'total', type: 'Moeda', value: 2 }],
  });
  const other = await registerProcess(world.store);
  const otherSession = await connectAgent(world.store, other.environmentID);
  const first = await world.rpc.call(execution.start, startRequest(other));
  await world.rpc.call(execution.start, startRequest(other));
  expect(await claimOnce(world, { ...other, sessionID: otherSession })).toMatchObject([
    { instanceID: first.instanceID },
  ]);
});

test('a claim takes no more than fits into one reply and leaves the rest in the queue', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'text', type: 'Texto' }] });
  const sessionID = await connectAgent(world.store, at.environmentID);
  const matrix = { text: 'x'.repeat(900_000) };
  for (let n = 0; n < 6; n += 1) await world.rpc.call(execution.start, startRequest(at, { matrix }));
  expect(await claimOnce(world, { ...at, sessionID }, 50)).toHaveLength(4);
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'queued'", [at.processID])).toBe(2);
  expect(await claimOnce(world, { ...at, sessionID }, 50)).toHaveLength(2);
});

test('a claim that leaves instances in the queue notifies the other claims, which may have skipped them meanwhile', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'text', type: 'Texto' }] });
  const { environmentID } = await registerProcess(world.store);
  const sessionID = await connectAgent(world.store, environmentID);
  const matrix = { text: 'x'.repeat(900_000) };
  for (let n = 0; n < 6; n += 1) await world.rpc.call(execution.start, startRequest(at, { matrix }));
  // The instances move to another environment, of which only the claim sends notifications.
  await world.store.write('UPDATE instance SET environment_id = ? WHERE process_id = ?', [environmentID, at.processID]);
  let notified = false;
  const stop = world.rpc.subscribe(notifications.work, (work) => {
    if (work.environmentID === environmentID) notified = true;
  });
  expect(await claimOnce(world, { environmentID, sessionID }, 50)).toHaveLength(4);
  await waitUntil('the notification', () => notified).finally(stop);
});

test('a claim opens values up to a limit of their estimated memory, and leaves the rest in the queue', async () => {
  const at = await registerProcess(world.store, { matrix: [{ name: 'list', type: 'Lista' }] });
  const sessionID = await connectAgent(world.store, at.environmentID);
  const matrix = { list: Array.from({ length: 100_000 }, () => ({})) };
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    // Each start is sent as another tenant, because together they would exceed the byte rate of one tenant.
    const { instanceID } = await world.rpc.call(execution.start, startRequest(at, { matrix }), { tenant: `${n}` });
    ids.push(instanceID);
  }
  // Each instance has 300 KB of text and takes about nine megabytes when parsed, so that one claim opens only one.
  const first = await claimOnce(world, { ...at, sessionID }, 50);
  expect(first.map(({ instanceID }) => instanceID)).toEqual(ids.slice(0, 1));
  expect(await countOf(world.store, 'instance', "process_id = ? AND status = 'queued'", [at.processID])).toBe(3);
  for (const id of ids.slice(1)) {
    expect(await claimOnce(world, { ...at, sessionID }, 50)).toMatchObject([
      { instanceID: id, matrix: [{ value: matrix.list }] },
    ]);
  }
});

test('an instance whose process was deleted is stopped and refunded by the claim, which takes the next instance', async () => {
  const orphaned = await createQueuedInstance(world, { credits: 10 });
  await world.store.write('DELETE FROM process_version WHERE process_id = ?', [orphaned.processID]);
  const next = await createQueuedInstance(world);
  await world.store.write('UPDATE instance SET environment_id = ? WHERE instance_id = ?', [
    orphaned.environmentID,
    next.instanceID,
  ]);
  const work = await claimOnce(world, orphaned, 5);
  expect(work.map(({ instanceID }) => instanceID)).toEqual([next.instanceID]);
  const { instanceID } = orphaned;
  const body = await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(orphaned) });
  expect(body).toMatchObject({ status: 'stopped', errorMessage: expect.stringContaining('deleted') });
  expect(await creditsOf(world.store, orphaned.companyID)).toEqual({ balance: 10, ledger: 10 });
});

test.each([
  ['a small', 'x'],
  ['a large', 'x'.repeat(50_000)],
])(
  'an instance whose input is missing, %s one, is stopped and refunded by the claim, which takes the next instance',
  async (_, text) => {
    const at = await registerProcess(world.store, { credits: 10, matrix: [{ name: 'text', type: 'Texto' }] });
    const sessionID = await connectAgent(world.store, at.environmentID);
    const { instanceID } = await world.rpc.call(execution.start, startRequest(at, { matrix: { text } }));
    const next = await world.rpc.call(execution.start, startRequest(at));
    await world.store.write('DELETE FROM instance_input WHERE instance_id = ?', [instanceID]);
    const work = await claimOnce(world, { ...at, sessionID }, 5);
    expect(work.map((one) => one.instanceID)).toEqual([next.instanceID]);
    const body = await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(at) });
    expect(body).toMatchObject({ status: 'stopped', errorMessage: expect.stringContaining('lost the values') });
    expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 9, ledger: 9 });
  },
);

test('a debug run whose flow is no JSON stays queued and does not block the instances behind it', async () => {
  const at = await createQueuedInstance(world);
  const next = await world.rpc.call(execution.start, startRequest(at));
  const keys = new KeyRing(world.env['SECRET_KEYS'] ?? '');
  const sealed = keys.seal('{"matrix":[],"draft":"{"}', `instance:${at.instanceID}`);
  await world.store.write('UPDATE instance SET version_id = ? WHERE instance_id = ?', [NO_VERSION, at.instanceID]);
  await world.store.write('UPDATE instance_input SET sealed = ? WHERE instance_id = ?', [sealed, at.instanceID]);
  const work = await claimOnce(world, at, 5);
  expect(work.map(({ instanceID }) => instanceID)).toEqual([next.instanceID]);
  expect(await countOf(world.store, 'instance', "instance_id = ? AND status = 'queued'", [at.instanceID])).toBe(1);
});

test('those who follow an instance are notified when a claim ends it', async () => {
  const { changed, stop } = followChanges(world);
  const orphaned = await createQueuedInstance(world);
  await world.store.write('DELETE FROM process_version WHERE process_id = ?', [orphaned.processID]);
  expect(await claimOnce(world, orphaned)).toEqual([]);
  await waitUntil('the notification', () => changed.has(orphaned.instanceID));
  stop();
});

test('a claim returns the vault values that the flow refers to, and no others', async () => {
  const at = await createQueuedInstance(world);
  const flow = { start: 'a', steps: [{ name: 'a', type: 'rest', method: 'GET', url: 'http://x/{vault.TOKEN}' }] };
  await world.store.write('UPDATE process_version SET flow = ? WHERE process_id = ?', [
    JSON.stringify(flow),
    at.processID,
  ]);
  const keys = new KeyRing(world.env['SECRET_KEYS'] ?? '');
  for (const key of ['TOKEN', 'OTHER']) {
    const sealed = keys.seal(`value of ${key}`, `vault:${at.ownerID}:${key}`);
    await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [at.ownerID, key, sealed]);
  }
  await allowVaultKeys(world.store, at.processID, ['TOKEN', 'OTHER']);
  expect((await claimOnce(world, at))[0]?.vault).toEqual({ TOKEN: 'value of TOKEN' });
});

test('vault values count in the bytes of a claim, so that instances with large ones come in several claims', async () => {
  const flow = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';
  const at = await registerProcess(world.store, { flow });
  const sessionID = await connectAgent(world.store, at.environmentID);
  const keys = new KeyRing(world.env['SECRET_KEYS'] ?? '');
  const value = 'x'.repeat(5 * 1_048_576);
  await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
    at.ownerID,
    'TOKEN',
    keys.seal(value, `vault:${at.ownerID}:TOKEN`),
  ]);
  for (let n = 0; n < 2; n += 1) await world.rpc.call(execution.start, startRequest(at));
  const claims = [await claimOnce(world, { ...at, sessionID }, 2), await claimOnce(world, { ...at, sessionID }, 2)];
  expect(claims.map((works) => works.map(({ vault }) => vault?.['TOKEN']?.length))).toEqual([
    [value.length],
    [value.length],
  ]);
});
