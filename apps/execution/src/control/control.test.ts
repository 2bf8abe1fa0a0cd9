import { execution } from '@batuta/contracts';
import {
  claimedInstance,
  claimOnce,
  requestControl,
  requestGrant,
  heldInstanceOf,
  queuedInstance,
  readInstance,
  runningInstance,
  viewerOf,
} from '../../test/instances';
import { creditsOf, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

test('stop ends a queued instance at once with a duration of 0 and returns its credit', async () => {
  const at = await queuedInstance(world);
  await requestControl(world, at, at.instanceID, 'stop');
  const body = await world.rpc.call(execution.instance, { instanceID: at.instanceID, viewer: viewerOf(at) });
  expect(body).toMatchObject({ status: 'stopped', durationSeconds: 0 });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 100, ledger: 100 });
  expect(await claimOnce(world, at)).toEqual([]);
  await expect(requestControl(world, at, at.instanceID, 'stop')).rejects.toMatchObject({ code: 'INSTANCE_FINISHED' });
});

test('controls of a company that wait for a lock hold back no control of another company', async () => {
  const [at, other] = [await queuedInstance(world), await queuedInstance(world)];
  const stop = ({ instanceID, ...registered }: typeof at) =>
    requestControl(world, registered, instanceID, 'stop', registered.companyID);
  let flood: Promise<unknown[]> = Promise.resolve([]);
  await world.store.transaction(async (tx) => {
    await tx.rows('SELECT instance_id FROM instance WHERE instance_id = ? FOR UPDATE', [at.instanceID]);
    // Both replicas get more than the connections that they have.
    flood = Promise.allSettled(Array.from({ length: 60 }, () => stop(at)));
    expect(await stop(other)).toEqual({ ok: true, action: 'stop' });
  });
  await flood;
});

test('stop ends an offered instance, which is granted no more', async () => {
  const at = await claimedInstance(world);
  await requestControl(world, at, at.work.instanceID, 'stop');
  expect(await requestGrant(world, at)).toMatchObject({ granted: false });
  expect(await readInstance(world, at)).toMatchObject({ status: 'stopped' });
});

test('pause, resume and stop set the desired state of a running instance, which a router can read again', async () => {
  const at = await runningInstance(world);
  const desired = () => world.rpc.call(execution.desired, { sessionIDs: [at.sessionID] });
  await requestControl(world, at, at.work.instanceID, 'pause');
  expect(await readInstance(world, at)).toMatchObject({ status: 'running', paused: true });
  expect((await desired()).instances).toEqual([{ ...heldInstanceOf(at), desired: 'pause', sessionID: at.sessionID }]);
  await expect(requestControl(world, at, at.work.instanceID, 'pause')).rejects.toMatchObject({
    code: 'INSTANCE_UNRESOLVED',
    message: 'pause does not apply to an execution that is paused.',
  });
  await requestControl(world, at, at.work.instanceID, 'resume');
  expect(await readInstance(world, at)).not.toHaveProperty('paused');
  await expect(requestControl(world, at, at.work.instanceID, 'resume')).rejects.toMatchObject({
    code: 'INSTANCE_UNRESOLVED',
  });
  await requestControl(world, at, at.work.instanceID, 'stop');
  expect((await desired()).instances).toMatchObject([{ desired: 'stop' }]);
  await expect(requestControl(world, at, at.work.instanceID, 'resume')).rejects.toMatchObject({
    code: 'INSTANCE_UNRESOLVED',
    message: 'resume does not apply to an execution that is being stopped.',
  });
});
