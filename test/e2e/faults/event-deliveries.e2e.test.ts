import { eventSubscription, type EventSubscriptionWithSecret } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { EventReceiver, isSigned } from '../../../apps/webhook/test/event-receiver';
import { openTestStore } from '../support/stack/database';
import { makeEnvironment, makeProcess, type Process } from '../support/tenants/factories';
import { instanceOf, untilEnded } from '../support/tenants/instances';
import { startServiceProcesses, type ServiceProcessStack } from '../support/stack/stack';
import { until } from '../support/until';

// Ends of instances reach the integrator's server, signed, although the webhook service is killed during a delivery.

const EVENT_SETTINGS = { EVENT_ALLOW_HOSTS: '127.0.0.1', EVENT_TICK_MS: '100', EVENT_TIMEOUT_MS: '5000' };
/** More than one delivery at a time, so that some are in progress at a kill. */
const INSTANCE_COUNT = 10;

let stack: ServiceProcessStack;
let store: Store;
let rpc: Rpc;
let receiver: EventReceiver;
let process: Process;
let companyID: string;
let subscription: EventSubscriptionWithSecret;

beforeAll(async () => {
  stack = await startServiceProcesses({ replicas: { schedule: 0 }, envOf: { webhook: EVENT_SETTINGS } });
  [store, rpc, receiver] = await Promise.all([
    openTestStore(stack.databaseUrl),
    Rpc.connect(stack.nats.url, 'test'),
    EventReceiver.start(),
  ]);
  const environment = await makeEnvironment(stack, { capacity: 5 });
  process = await makeProcess(stack, { environment });
  await stack.startAgent(environment);
  const row = await store.row<{ company_id: string }>('SELECT company_id FROM process WHERE process_id = ?', [
    process.processID,
  ]);
  companyID = row?.company_id ?? '';
  subscription = await rpc.call(eventSubscription.create, {
    companyID,
    draft: { url: receiver.url, events: ['instance.success'], processID: null, enabled: true },
  });
});

afterAll(async () => {
  await rpc?.close();
  await store?.close();
  await receiver?.stop();
  await stack?.stop();
});

/** Starts instances and awaits their end; returns their ids. */
async function endInstances(count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, async () => instanceOf(await process.start())));
  await Promise.all(ids.map((id) => untilEnded(process.owner, id)));
  return ids;
}

const statusesOf = async (ids: string[]) => {
  const rows = await store.rows<{ status: string }>('SELECT status FROM event_delivery WHERE instance_id IN (?)', [
    ids,
  ]);
  return rows.map(({ status }) => status);
};

/**
 * Expects that the event of every end arrives at least once, each time with the same id and body and a valid signature, and that its delivery
 * is marked as delivered.
 */
async function expectArrived(ids: string[]): Promise<void> {
  const delivered = ids.map(() => 'delivered');
  await until(
    () => statusesOf(ids),
    (statuses) => statuses.length === ids.length && statuses.every((status) => status === 'delivered'),
  );
  expect(await statusesOf(ids)).toEqual(delivered);
  for (const id of ids) {
    const events = receiver.eventsOf(id);
    expect(new Set(events.map(({ headers }) => headers['webhook-id']))).toEqual(new Set([`evt_${id}`]));
    expect(new Set(events.map(({ body }) => body)).size).toBe(1);
    for (const event of events) expect(await isSigned(event, subscription.secret)).toBe(true);
  }
}

test('the end of an instance arrives as a signed event', async () => {
  const [id = ''] = await endInstances(1);
  await expectArrived([id]);
  const [event, ...others] = receiver.eventsOf(id);
  expect(others).toEqual([]);
  const { processID } = process;
  expect(JSON.parse(event?.body ?? '')).toMatchObject({
    type: 'instance.success',
    data: {
      instanceID: id,
      processID,
      companyID,
      status: 'success',
      outcome: 'FINALIZED',
      trigger: 'api',
      retryOf: null,
    },
  });
});

test('events arrive at least once although the webhook service is killed while the receiver has them', async () => {
  const [webhook] = stack.services.webhook;
  // The receiver gets the request and does not answer.
  receiver.answer = () => undefined;
  const ids = await endInstances(INSTANCE_COUNT);
  await until(
    async () => ids.filter((id) => receiver.eventsOf(id).length > 0),
    ({ length }) => length > 0,
  );
  await webhook?.kill();
  // Instances can end while the webhook service is down.
  ids.push(...(await endInstances(INSTANCE_COUNT)));
  expect(await statusesOf(ids)).toHaveLength(ids.length);
  receiver.answer = (response) => void response.writeHead(200).end();
  await webhook?.startAgain();
  await expectArrived(ids);
});

test('events arrive at least once although a replica is killed after it has sent a message and before it has stored the result', async () => {
  const [steady] = stack.services.webhook;
  await steady?.kill();
  const armed = await stack.addReplica('webhook', { BATUTA_FAULT: 'webhook:after-event@3' });
  const ids = await endInstances(INSTANCE_COUNT);
  expect((await armed.exited).signal).toBe('SIGKILL');
  await steady?.startAgain();
  await expectArrived(ids);
  expect(ids.some((id) => receiver.eventsOf(id).length > 1)).toBe(true);
});
