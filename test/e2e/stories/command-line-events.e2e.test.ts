import { TestUser } from '../../../apps/cli/test/test-terminal';
import * as s from '../../support/shape';
import { isSignedWith, startEventReceiver, type EventReceiver } from '../support/webhooks/event-receiver';
import { makeOwner, makeProcess, type Owner } from '../support/tenants/factories';
import { startStack } from '../support/stack/in-process-stack';
import { instanceOf } from '../support/tenants/instances';
import type { Stack } from '../support/stack/stack';
import { until } from '../support/until';

const createdShape = s.object({ id: s.text(), secret: s.text() });
const deliveriesShape = s.object({
  deliveries: s.list(s.object({ instanceID: s.text(), status: s.text(), attempts: s.number })),
});

let stack: Stack;
let owner: Owner;
let user: TestUser;
let receiver: EventReceiver;

beforeAll(async () => {
  stack = await startStack({ env: { EVENT_ALLOW_HOSTS: '127.0.0.1' } });
  owner = await makeOwner(stack, { role: 'administrator' });
  receiver = await startEventReceiver();
  user = new TestUser();
  const login = ['login', '--console', stack.console, '--email', owner.email, '--password-stdin'];
  await user.json(login, { input: `${owner.password}\n` });
});

afterAll(async () => {
  await user?.remove();
  await receiver?.stop();
  await stack?.stop();
});

test('an administrator subscribes an address, tests it, sends a dead delivery again and removes the subscription', async () => {
  const process = await makeProcess(stack, { owner });
  const refused = await user.run(['events', 'create', 'https://10.0.0.1/']);
  expect(refused).toMatchObject({ status: 4, stderr: expect.stringMatching(/BAD_REQUEST.*url/s) });
  const create = ['events', 'create', receiver.url, '--event', 'instance.stopped', '--process', process.processID];
  const { id, secret } = createdShape.parse(await user.json(create));
  expect((await user.run(['events', 'list'])).stdout).toMatch(new RegExp(`${id} .*instance.stopped.* on +0 +0`));

  expect(await user.json(['events', 'test', id])).toMatchObject({ ok: true, status: 204 });
  expect(receiver.events.map((event) => isSignedWith(secret, event))).toEqual([true]);
  const rotated = createdShape.parse(await user.json(['events', 'rotate', id])).secret;
  expect(rotated).not.toBe(secret);

  // The address answers 410, which means that it wants no more events: Batuta switches the subscription off, and the delivery is dead.
  receiver.status = 410;
  expect(await user.run(['events', 'test', id])).toMatchObject({ status: 4, stdout: expect.stringContaining('410') });
  const instanceID = instanceOf(await process.start());
  await owner.client.instance(instanceID).stop();
  const read = async (status: string) =>
    deliveriesShape.parse(await user.json(['events', 'deliveries', id, '--status', status])).deliveries;
  const dead = await until(
    () => read('dead'),
    ({ length }) => length === 1,
  );
  expect(dead).toEqual([expect.objectContaining({ instanceID, status: 'dead', attempts: 1 })]);
  expect((await user.run(['events', 'list'])).stdout).toContain('off: gone');
  expect(await user.run(['events', 'redeliver', id, '--all-dead'])).toMatchObject({ status: 4 });

  receiver.status = 204;
  expect(await user.run(['events', 'switch', id, 'on'])).toMatchObject({ status: 0 });
  expect(await user.json(['events', 'redeliver', id, '--run', instanceID])).toEqual({ redelivered: 1 });
  await until(
    () => read('delivered'),
    ({ length }) => length === 1,
  );
  const last = receiver.events.at(-1);
  expect(last && [isSignedWith(secret, last), isSignedWith(rotated, last)]).toEqual([true, true]);
  expect(await user.json(['events', 'redeliver', id, '--all-dead'])).toEqual({ redelivered: 0 });
  expect(await user.json(['events', 'remove', id])).toEqual({ id, removed: true });
  expect(await user.run(['events', 'list'])).toMatchObject({ status: 0, stdout: '(none)\n' });
});
