import { execution } from '@batuta/contracts';
import { randomBytes } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { addLoginSession } from '../../../../test/support/login-session';
import {
  createClaimedInstance,
  claimOnce,
  requestControl,
  requestGrant,
  heldInstanceOf,
  createQueuedInstance,
  readInstance,
  createRunningInstance,
  viewerOf,
} from '../../test/instances';
import { creditsOf, startWorld, type ExecutionWorld } from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

test('stop ends a queued instance at once with a duration of 0 and returns its credit', async () => {
  const at = await createQueuedInstance(world);
  await requestControl(world, at, at.instanceID, 'stop');
  const body = await world.rpc.call(execution.instance, { instanceID: at.instanceID, viewer: viewerOf(at) });
  expect(body).toMatchObject({ status: 'stopped', durationSeconds: 0 });
  expect(await creditsOf(world.store, at.companyID)).toEqual({ balance: 100, ledger: 100 });
  expect(await claimOnce(world, at)).toEqual([]);
  await expect(requestControl(world, at, at.instanceID, 'stop')).rejects.toMatchObject({ code: 'INSTANCE_FINISHED' });
});

test('controls of a company that wait for a lock hold back no control of another company', async () => {
  const [at, other] = [await createQueuedInstance(world), await createQueuedInstance(world)];
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
  const at = await createClaimedInstance(world);
  await requestControl(world, at, at.work.instanceID, 'stop');
  expect(await requestGrant(world, at)).toMatchObject({ granted: false });
  expect(await readInstance(world, at)).toMatchObject({ status: 'stopped' });
});

test('pause, resume and stop set the desired state of a running instance, which a router can read again', async () => {
  const at = await createRunningInstance(world);
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

test.each<[how: string, sql: string, code: string]>([
  ['is blocked', 'UPDATE account SET blocked = 1 WHERE account_id = ?', 'OWNER_INACTIVE'],
  ['logs out', 'DELETE FROM login_session WHERE account_id = ?', 'INVALID_CREDENTIAL'],
  [
    'has a session that expires',
    'UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?',
    'INVALID_CREDENTIAL',
  ],
  [
    'has a credential that is revoked',
    'UPDATE credential SET revoked_at = UTC_TIMESTAMP(3) WHERE account_id = ?',
    'CREDENTIAL_REVOKED',
  ],
  [
    'has a credential that expires',
    'UPDATE credential SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?',
    'CREDENTIAL_EXPIRED',
  ],
])('an account that %s after the check of gateway or console stops no instance', async (_, sql, code) => {
  const at = await createRunningInstance(world);
  const { instanceID } = at.work;
  const [{ sessionHash }, credentialID] = [await addLoginSession(world.store, at.ownerID), uuid()];
  const credential = [credentialID, at.ownerID, 'ERP', randomBytes(32), new Date(), null, null];
  await world.store.write('INSERT INTO credential VALUES (?)', [credential]);
  const viewer = { accountID: at.ownerID, sessionHash, credentialID };
  const control = (action: 'pause' | 'stop') =>
    world.rpc.call(execution.control, { instanceID, action, viewer, executor: 'erp' });
  await control('pause');
  const refusal = await callDuringChange(
    world.store,
    (tx) => tx.write(sql, [at.ownerID]),
    () => control('stop').catch((error: unknown) => error),
  );
  expect(refusal).toMatchObject({ code });
  const [instance] = await world.store.rows('SELECT status, desired FROM instance WHERE instance_id = ?', [instanceID]);
  expect(instance).toEqual({ status: 'running', desired: 'pause' });
});
