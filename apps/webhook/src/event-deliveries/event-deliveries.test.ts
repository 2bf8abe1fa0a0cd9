import { eventSubscription } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import { EventReceiver, isSigned } from '../../test/event-receiver';
import {
  ANSWER_LIMIT_MS,
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

/** The tenth attempt is the last one. */
const ATTEMPTS_BEFORE_THE_LAST = 9;

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

test('an event arrives as a signed message of Standard Webhooks, once, and is delivered', async () => {
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'delivered');
  const [event, ...others] = receiver.eventsOf(instanceID);
  if (!event) throw new Error('Nothing arrived');
  expect(others).toEqual([]);
  expect(event.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': `evt_${instanceID}` });
  expect(Math.abs(Number(event.headers['webhook-timestamp']) - Date.now() / 1_000)).toBeLessThan(300);
  expect(await isSigned(event, at.subscription.secret)).toBe(true);
  const changed = { ...event, body: event.body.replace('Pedidos', 'Outros') };
  expect(await isSigned(changed, at.subscription.secret)).toBe(false);
  expect(JSON.parse(event.body)).toEqual({
    type: 'instance.success',
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: { instanceID, processName: 'Pedidos “ágeis” 💡' },
  });
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({
    attempts: 1,
    lastStatus: 204,
    lastError: null,
    nextAttemptAt: null,
    settledAt: expect.any(String),
  });
  expect(await readSubscription(world, at)).toMatchObject({ lastSuccessAt: expect.any(String), waiting: 0, dead: 0 });
});

test('each of many deliveries is sent once by two replicas', async () => {
  const at = await subscribe(world, receiver.url);
  const ids = await writeDeliveries(world, at, 60);
  await waitUntil('all are delivered', async () => (await readSubscription(world, at))?.waiting === 0);
  expect(receiver.received.map(({ headers }) => String(headers['webhook-id'])).toSorted()).toEqual(
    ids.map((id) => `evt_${id}`).toSorted(),
  );
});

test.each<[string, number, RegExp]>([
  ['an error of the server', 500, /^the address answered 500$/],
  ['a refusal', 400, /^the address answered 400$/],
  ['a redirect, which is not followed', 302, /^the address answered 302; redirects are not followed$/],
])('after %s the delivery is tried again with the same id and body', async (_rule, status, error) => {
  const elsewhere = await EventReceiver.start();
  receiver.answer = (response) => void response.writeHead(status, { location: elsewhere.url }).end('x'.repeat(100_000));
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilAttempts(world, at, instanceID, 1);
  const delivery = await deliveryOf(world, at, instanceID);
  expect(delivery).toMatchObject({ status: 'waiting', lastStatus: status, lastError: expect.stringMatching(error) });
  receiver.answer = (response) => void response.writeHead(200).end();
  await endPauses(world, at);
  await untilStatus(world, at, instanceID, 'delivered');
  const [first, second] = receiver.eventsOf(instanceID);
  expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
  expect(second?.body).toBe(first?.body);
  expect(elsewhere.received).toEqual([]);
  await elsewhere.stop();
});

test('an address that does not answer in time, or cuts the connection, is tried again', async () => {
  const at = await subscribe(world, receiver.url);
  receiver.answer = () => undefined;
  const limit = new AbortController();
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const limits = jest.spyOn(AbortSignal, 'timeout');
  limits.mockImplementation((ms) => (ms === ANSWER_LIMIT_MS ? limit.signal : timeout(ms)));
  const silent = await writeDelivery(world, at);
  await waitUntil('the address has the request', () => receiver.received.length > 0);
  limits.mockRestore();
  limit.abort();
  await untilAttempts(world, at, silent, 1);
  expect(await deliveryOf(world, at, silent)).toMatchObject({
    lastStatus: null,
    lastError: `no answer within ${ANSWER_LIMIT_MS} ms`,
  });
  receiver.answer = (response) => void response.socket?.resetAndDestroy();
  const cut = await writeDelivery(world, at);
  await untilAttempts(world, at, cut, 1);
  expect(await deliveryOf(world, at, cut)).toMatchObject({
    lastError: 'the connection was cut before an answer: ECONNRESET',
  });
});

test('the status of an answer counts although its body never ends', async () => {
  receiver.answer = (response) => void response.writeHead(200).write('{');
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'delivered');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ attempts: 1, lastStatus: 200 });
});

test('a delivery waits for as long as the Retry-After of a failed answer asks', async () => {
  receiver.answer = (response) => void response.writeHead(429, { 'retry-after': '1200' }).end();
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilAttempts(world, at, instanceID, 1);
  const row = await world.store.row<{ seconds: number }>(
    `SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), next_attempt_at) AS seconds FROM event_delivery WHERE instance_id = ?`,
    [instanceID],
  );
  expect(row?.seconds).toBeGreaterThan(900);
  expect(row?.seconds).toBeLessThanOrEqual(1_200);
});

test('after its last attempt a delivery is dead, and is sent again only on request', async () => {
  receiver.answer = (response) => void response.writeHead(503).end();
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await untilAttempts(world, at, instanceID, 1);
  await endPauses(world, at, ATTEMPTS_BEFORE_THE_LAST);
  await untilStatus(world, at, instanceID, 'dead');
  expect(await readSubscription(world, at)).toMatchObject({ dead: 1, waiting: 0, enabled: true });
  receiver.answer = (response) => void response.writeHead(200).end();
  expect(await world.rpc.call(eventSubscription.redeliver, { ...scopeOf(at), instanceID })).toEqual({ redelivered: 1 });
  await untilStatus(world, at, instanceID, 'delivered');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ attempts: 1 });
  expect(await world.rpc.call(eventSubscription.redeliver, scopeOf(at))).toEqual({ redelivered: 0 });
});

test('all dead deliveries of a subscription are sent again by one request', async () => {
  const at = await subscribe(world, receiver.url, { enabled: false });
  await writeDeliveries(world, at, 5);
  await waitUntil('they are dead', async () => (await readSubscription(world, at))?.dead === 5);
  const off = world.rpc.call(eventSubscription.redeliver, scopeOf(at));
  await expect(off).rejects.toMatchObject({ code: 'CONFLICT' });
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: true } });
  expect(await world.rpc.call(eventSubscription.redeliver, scopeOf(at))).toEqual({ redelivered: 5 });
  await waitUntil('they are delivered', async () => receiver.received.length === 5);
  expect(await readSubscription(world, at)).toMatchObject({ dead: 0 });
});

test('during a rotation messages carry the signatures of both secrets, and afterwards only that of the new one', async () => {
  const at = await subscribe(world, receiver.url);
  const { secret } = await world.rpc.call(eventSubscription.rotateSecret, scopeOf(at));
  expect(secret).not.toBe(at.subscription.secret);
  const during = await writeDelivery(world, at);
  await untilStatus(world, at, during, 'delivered');
  const [both] = receiver.eventsOf(during);
  if (!both) throw new Error('Nothing arrived');
  expect([await isSigned(both, secret), await isSigned(both, at.subscription.secret)]).toEqual([true, true]);
  await world.store.write('UPDATE event_subscription SET previous_until = UTC_TIMESTAMP(3) WHERE subscription_id = ?', [
    at.subscription.id,
  ]);
  const after = await writeDelivery(world, at);
  await untilStatus(world, at, after, 'delivered');
  const [one] = receiver.eventsOf(after);
  if (!one) throw new Error('Nothing arrived');
  expect([await isSigned(one, secret), await isSigned(one, at.subscription.secret)]).toEqual([true, false]);
});

test('an attempt whose secret cannot be unsealed fails, and nothing is sent unsigned', async () => {
  const at = await subscribe(world, receiver.url);
  await world.store.write("UPDATE event_subscription SET sealed_secret = 'x' WHERE subscription_id = ?", [
    at.subscription.id,
  ]);
  const instanceID = await writeDelivery(world, at);
  await untilAttempts(world, at, instanceID, 1);
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ lastError: 'the signing secret cannot be read' });
  expect(receiver.received).toEqual([]);
});

test('the lease of a replica that was killed during an attempt ends, and another replica sends the same message', async () => {
  const at = await subscribe(world, receiver.url, { enabled: false });
  const instanceID = await writeDelivery(world, at);
  await untilStatus(world, at, instanceID, 'dead');
  // The subscription is opened before the row is written: a replica that saw it closed may still be ending its waiting deliveries.
  await world.rpc.call(eventSubscription.change, { ...scopeOf(at), change: { enabled: true } });
  // The state that a killed replica leaves: one attempt has begun, and its lease ends in a minute.
  await world.store.write(
    `UPDATE event_delivery SET status = 'waiting', attempts = 1, settled_at = NULL, last_error = NULL,
            next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 MINUTE WHERE instance_id = ?`,
    [instanceID],
  );
  const other = await writeDelivery(world, at);
  await untilStatus(world, at, other, 'delivered');
  expect(receiver.eventsOf(instanceID)).toEqual([]);
  await endPauses(world, at);
  await untilStatus(world, at, instanceID, 'delivered');
  expect(await deliveryOf(world, at, instanceID)).toMatchObject({ attempts: 2 });
  expect(receiver.eventsOf(instanceID).map(({ headers }) => headers['webhook-id'])).toEqual([`evt_${instanceID}`]);
});

test('addresses that do not answer hold up no other subscription, and get few requests at a time', async () => {
  const silent = await EventReceiver.start();
  silent.answer = () => undefined;
  const slow = await Promise.all(Array.from({ length: 4 }, () => subscribe(world, silent.url)));
  for (const at of slow) await writeDeliveries(world, at, 50);
  await waitUntil('the silent address has requests', () => silent.received.length > 0);
  const at = await subscribe(world, receiver.url);
  await writeDeliveries(world, at, 20);
  await waitUntil('the others are delivered', async () => (await readSubscription(world, at))?.waiting === 0);
  const [replicas, perSubscription] = [2, 4];
  expect(silent.peak).toBeLessThanOrEqual(slow.length * replicas * perSubscription);
  await silent.stop();
});
