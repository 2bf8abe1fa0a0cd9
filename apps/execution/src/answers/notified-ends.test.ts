import { execution, notifications } from '@batuta/contracts';
import { createLogger } from '@batuta/observability';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  claimOnce,
  createQueuedInstance,
  createRunningInstance,
  endReport,
  requestControl,
  sendReport,
} from '../../test/instances';
import { connectAgent, startRequest, startWorld, type ExecutionWorld, type TestProcess } from '../../test/world';
import { LostInstanceService } from '../delivery/lost-instance.service';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';

const VAULT_FLOW = '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}"}]}';

let world: ExecutionWorld;
const notified = new Set<string>();
beforeAll(async () => {
  world = await startWorld();
  world.rpc.subscribe(notifications.answered, ({ instanceID }) => void notified.add(instanceID));
});
afterAll(() => world?.close());

/** Marks the instances of an environment as those of waiting callers. */
const setAwaited = ({ environmentID }: TestProcess) =>
  world.store.write('UPDATE instance SET awaited = 1 WHERE environment_id = ?', [environmentID]);

function sweepLost(): Promise<string[]> {
  const metrics = Object.assign(Object.create(null), { lostInstances: { inc: () => {} } });
  const logger = createLogger('execution', 'silent');
  const changes = new InstanceChangeNotifier(world.rpc);
  return new LostInstanceService(world.store, world.rpc, changes, metrics, logger).sweep(15);
}

test.each<[end: string, makeEnd: () => Promise<string>]>([
  [
    'a stop in the queue',
    async () => {
      const at = await createQueuedInstance(world);
      await setAwaited(at);
      await requestControl(world, at, at.instanceID, 'stop');
      return at.instanceID;
    },
  ],
  [
    'the cancellation of its queue',
    async () => {
      const at = await createRunningInstance(world, { cancelQueue: true });
      const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
      await setAwaited(at);
      await sendReport(world, at, 1, endReport('ERROR'));
      return instanceID;
    },
  ],
  [
    'a claim in an environment that may no longer read the vault',
    async () => {
      const at = await createQueuedInstance(world, { flow: VAULT_FLOW });
      await setAwaited(at);
      await world.store.write('UPDATE environment SET account_id = UUID() WHERE environment_id = ?', [
        at.environmentID,
      ]);
      await claimOnce(world, at);
      return at.instanceID;
    },
  ],
  [
    'the loss of its agent',
    async () => {
      const at = await createRunningInstance(world);
      await setAwaited(at);
      const expire = 'UPDATE agent_session SET lease_until = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND WHERE session_id = ?';
      await world.store.write(expire, [at.sessionID]);
      await sweepLost();
      return at.work.instanceID;
    },
  ],
  [
    'the return of an agent that no longer has it',
    async () => {
      const at = await createRunningInstance(world);
      await setAwaited(at);
      const sessionID = await connectAgent(world.store, at.environmentID);
      await world.rpc.call(execution.adopt, { sessionID, previousSessionID: at.sessionID, held: [] });
      return at.work.instanceID;
    },
  ],
])('the gateway of a waiting caller is notified of an end by %s', async (_, makeEnd) => {
  const instanceID = await makeEnd();
  await waitUntil('the gateway is notified', () => notified.has(instanceID));
  const { states } = await world.rpc.call(execution.awaited, { instanceIDs: [instanceID] });
  expect(states).toMatchObject([{ instanceID, outcome: expect.stringMatching(/^(STOPPED|CRASHED)$/) }]);
});

test('an end without a waiting caller notifies no gateway', async () => {
  const [at, awaited] = [await createQueuedInstance(world), await createQueuedInstance(world)];
  await setAwaited(awaited);
  await requestControl(world, at, at.instanceID, 'stop');
  await requestControl(world, awaited, awaited.instanceID, 'stop');
  await waitUntil('the later end is notified', () => notified.has(awaited.instanceID));
  expect(notified.has(at.instanceID)).toBe(false);
});
