import { execution, notifications } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  createClaimedInstance,
  claimOnce,
  followChanges,
  requestGrant,
  heldInstanceOf,
  readInstance,
  createRunningInstance,
  type ClaimedInstance,
} from '../../test/instances';
import { startWorld, type ExecutionWorld } from '../../test/world';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { ReleaseService } from './release.service';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

const release = (at: ClaimedInstance) =>
  world.rpc.call(execution.release, { sessionID: at.sessionID, instances: [heldInstanceOf(at)] });

test('a claimed instance has the status unknown and the time of its acceptance, a granted one runs, and a repeated grant is granted again', async () => {
  const at = await createClaimedInstance(world);
  expect(await readInstance(world, at)).toMatchObject({
    status: 'unknown',
    userName: 'erp',
    startedAt: expect.any(Number),
  });
  expect(await requestGrant(world, at)).toEqual({ granted: true, desired: 'run' });
  expect(await requestGrant(world, at)).toEqual({ granted: true, desired: 'run' });
  expect(await readInstance(world, at)).toMatchObject({ status: 'running' });
});

test('a repeated grant is notified again, because the replica that committed it may have died before its notification', async () => {
  const at = await createClaimedInstance(world);
  const { instanceID } = at.work;
  await world.store.write("UPDATE instance SET status = 'running' WHERE instance_id = ?", [instanceID]);
  const { changed, stop } = followChanges(world);
  expect(await requestGrant(world, at)).toEqual({ granted: true, desired: 'run' });
  await waitUntil('the grant is notified', () => changed.has(instanceID));
  stop();
});

test('a grant is refused to a session or a fence other than those of the claim', async () => {
  const at = await createClaimedInstance(world);
  const other = { ...heldInstanceOf(at), sessionID: uuid() };
  expect(await world.rpc.call(execution.grant, other)).toMatchObject({ granted: false });
  expect(await world.rpc.call(execution.grant, { ...other, sessionID: at.sessionID, fence: 7 })).toMatchObject({
    granted: false,
  });
});

test('a release returns the number of instances that it requeued, not the number in its request', async () => {
  const [offered, granted] = [await createClaimedInstance(world), await createRunningInstance(world)];
  const releaseWithStranger = (at: ClaimedInstance, fence = at.work.fence) =>
    world.rpc.call(execution.release, {
      sessionID: at.sessionID,
      instances: [
        { instanceID: at.work.instanceID, fence },
        { instanceID: uuid(), fence: 1 },
      ],
    });
  expect(await releaseWithStranger(granted)).toEqual({ released: 0 });
  expect(await releaseWithStranger(offered, 9)).toEqual({ released: 0 });
  expect(await releaseWithStranger(offered)).toEqual({ released: 1 });
  expect(await releaseWithStranger(offered)).toEqual({ released: 0 });
});

test('a released offer is queued again, and a grant with its old fence is refused', async () => {
  const at = await createClaimedInstance(world);
  await release(at);
  expect(await readInstance(world, at)).toMatchObject({ status: 'queued' });
  expect(await requestGrant(world, at)).toMatchObject({ granted: false });
  const [again] = await claimOnce(world, at);
  expect(again).toMatchObject({ instanceID: at.work.instanceID, fence: 2 });
  expect(await requestGrant(world, at)).toMatchObject({ granted: false });
});

test('a release is notified to the followers of the instances that it requeues', async () => {
  const at = await createClaimedInstance(world);
  const { changed, stop } = followChanges(world);
  await release(at);
  await waitUntil('the release is notified', () => changed.has(at.work.instanceID));
  expect(await readInstance(world, at)).toMatchObject({ status: 'queued' });
  stop();
});

test('an offer that was requeued before the release of another one failed is notified to the claims', async () => {
  const at = await createClaimedInstance(world);
  const { sessionID, environmentID } = at;
  const notified: (string | undefined)[] = [];
  const stop = world.rpc.subscribe(notifications.work, (work) => {
    if (work.environmentID === environmentID) notified.push(work.from);
  });
  let transactions = 0;
  const transaction: Store['transaction'] = (work) => {
    transactions += 1;
    return transactions === 1 ? world.store.transaction(work) : Promise.reject(new ApiError('UNAVAILABLE'));
  };
  const failing: Store = Object.assign(Object.create(world.store), { transaction });
  const releases = new ReleaseService(failing, world.rpc, new InstanceChangeNotifier(world.rpc));
  const instances = [heldInstanceOf(at), { instanceID: uuid(), fence: 1 }];
  await expect(releases.release(sessionID, instances)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  await waitUntil('the notification', () => notified.includes(sessionID));
  stop();
});

test('a granted instance is not released', async () => {
  const at = await createRunningInstance(world);
  await release(at);
  expect(await readInstance(world, at)).toMatchObject({ status: 'running' });
});
