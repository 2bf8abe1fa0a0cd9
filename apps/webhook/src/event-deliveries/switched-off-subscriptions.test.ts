import type { ServerResponse } from 'node:http';
import { eventSubscription } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { EventReceiver } from '../../test/event-receiver';
import {
  deliveryOf,
  endPauses,
  EVENT_SETTINGS,
  readSubscription,
  scopeOf,
  subscribe,
  untilAttempts,
  untilStatus,
  writeDeliveries,
  writeDelivery,
} from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
let receiver: EventReceiver;
beforeAll(async () => {
  world = await startWorld({ replicas: 2, settings: EVENT_SETTINGS });
});
beforeEach(async () => {
  receiver = await EventReceiver.start();
});
afterEach(() => receiver.stop());
afterAll(() => world?.close());

test('deliveries that wait for a later attempt end when an administrator switches the subscription off', async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  const at = await subscribe(world, receiver.url);
  const ids = await writeDeliveries(world, at, 2);
  for (const instanceID of ids) await untilAttempts(world, at, instanceID, 1);
  await world.store.write(
    "UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE status = 'waiting' AND subscription_id = ?",
    [at.subscription.id],
  );
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: false } });
  await waitUntil('both are dead', async () => (await readSubscription(world, at))?.dead === 2);
  expect(await deliveryOf(world, at, ids[0] ?? '')).toMatchObject({
    attempts: 1,
    lastError: 'the subscription is switched off',
  });
});

test('a message that is answered with 200 after its subscription was switched off is delivered', async () => {
  const open: ServerResponse[] = [];
  receiver.answer = (response) => void open.push(response);
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await waitUntil('the message is in flight', () => open.length === 1);
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: false } });
  await untilStatus(world, at, instanceID, 'dead');
  open[0]?.writeHead(200).end();
  await untilStatus(world, at, instanceID, 'delivered');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ attempts: 1, lastStatus: 200, lastError: null });
});

test('a message that is answered with 200 is delivered although a switch-off has made its delivery due meanwhile', async () => {
  const at = await subscribe(world, receiver.url);
  receiver.answer = async (response) => {
    // The switch-off makes the oldest delivery due; here none becomes due, so that no round ends it before the answer.
    await world.store.write(
      'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE subscription_id = ?',
      [at.subscription.id],
    );
    response.writeHead(200).end();
  };
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'delivered');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ attempts: 1, lastStatus: 200 });
});

test('an attempt that fails after its subscription was switched off lets the waiting deliveries end', async () => {
  const at = await subscribe(world, receiver.url);
  receiver.answer = async (response) => {
    await world.store.write('UPDATE event_subscription SET enabled = 0 WHERE subscription_id = ?', [
      at.subscription.id,
    ]);
    response.writeHead(500).end();
  };
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'dead');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({
    attempts: 1,
    lastError: 'the subscription is switched off',
  });
});

test('an address that answers 410 switches the subscription off, and its waiting deliveries end', async () => {
  receiver.answer = (response) => void response.writeHead(410).end();
  const at = await subscribe(world, receiver.url);
  await writeDeliveries(world, at, 30);
  await waitUntil('all are dead', async () => (await readSubscription(world, at))?.dead === 30);
  expect(await readSubscription(world, at)).toMatchObject({ enabled: false, disabledReason: 'gone', waiting: 0 });
  expect(receiver.received.length).toBeLessThan(30);
  const enabled = await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: true } });
  expect(enabled).toMatchObject({ enabled: true, disabledReason: null });
});

test('a subscription that is switched on again stays on when attempts from before end with 410', async () => {
  const open: ServerResponse[] = [];
  receiver.answer = (response) => void open.push(response);
  const at = await subscribe(world, receiver.url);
  await writeDeliveries(world, at, 4);
  await waitUntil('all are in flight', () => open.length === 4);
  open[0]?.writeHead(410).end();
  await waitUntil('all are dead', async () => (await readSubscription(world, at))?.dead === 4);
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: true } });
  for (const response of open.slice(1)) response.writeHead(410).end();
  // The eight later deliveries use the room that the four ended attempts have freed.
  receiver.answer = (response) => void response.writeHead(200).end();
  const later = await writeDeliveries(world, at, 8);
  await waitUntil('later ones are delivered', async () =>
    (await deliveriesOf(later)).every((one) => one === 'delivered'),
  );
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true, disabledReason: null, dead: 4 });

  async function deliveriesOf(ids: string[]) {
    return Promise.all(ids.map(async (instanceID) => (await deliveryOf(world, at, instanceID))?.status));
  }
});

test('a 410 of an address that was replaced during the attempt leaves the subscription on, and the new address gets the event', async () => {
  const replacement = await EventReceiver.start();
  try {
    const at = await subscribe(world, receiver.url);
    receiver.answer = async (response) => {
      await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { url: replacement.url } });
      response.writeHead(410).end();
    };
    const instanceID = await writeDelivery(world, at);
    await untilAttempts(world, at, instanceID, 1);
    expect(await readSubscription(world, at)).toMatchObject({ enabled: true, disabledReason: null, dead: 0 });
    await endPauses(world, at);
    await untilStatus(world, at, instanceID, 'delivered');
    expect(replacement.eventsOf(instanceID)).toHaveLength(1);
  } finally {
    await replacement.stop();
  }
});

test('a subscription whose address has failed for five days without a success is switched off', async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilAttempts(world, at, instanceID, 1);
  const failsSince = (days: number) =>
    world.store.write(
      'UPDATE event_subscription SET first_failure_at = UTC_TIMESTAMP(3) - INTERVAL ? HOUR WHERE subscription_id = ?',
      [days * 24, at.subscription.id],
    );
  await failsSince(4.5);
  await endPauses(world, at);
  await untilAttempts(world, at, instanceID, 2);
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true });
  await failsSince(5.1);
  await endPauses(world, at);
  await untilStatus(world, at, instanceID, 'dead');
  expect(await readSubscription(world, at)).toMatchObject({ enabled: false, disabledReason: 'failing' });
});

test('a success restarts the days of failure after which a subscription is switched off', async () => {
  const at = await subscribe(world, receiver.url);
  await world.store.write(
    'UPDATE event_subscription SET first_failure_at = UTC_TIMESTAMP(3) - INTERVAL 6 DAY WHERE subscription_id = ?',
    [at.subscription.id],
  );
  await untilStatus(world, at, await writeDelivery(world, at), 'delivered');
  receiver.answer = (response) => void response.writeHead(500).end();
  await untilAttempts(world, at, await writeDelivery(world, at), 1);
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true });
});

test('a company that is suspended sends nothing', async () => {
  const at = await subscribe(world, receiver.url);
  await world.store.write('UPDATE company SET suspended = 1 WHERE company_id = ?', [at.companyID]);
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'dead');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ lastError: 'the company is suspended', attempts: 0 });
  expect(receiver.received).toEqual([]);
});
