import { createLogger, Metrics } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../../test/support/wait-until';
import { EventReceiver } from '../../test/event-receiver';
import {
  readSubscription,
  deliveriesOf,
  deliveryOf,
  EVENT_SETTINGS,
  subscribe,
  writeDeliveries,
  writeDelivery,
  type SubscribedProcess,
} from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';
import { deferDue } from './deferral.repository';
import { DeliveryAttempts } from './delivery-attempts';
import { DeliveryMetrics } from './delivery.metrics';
import { findDeliveryTargets, findDueDeliveries, leaseDeliveries } from './delivery.repository';

// Each test has a world of its own. The file tests the limits that the sweeps enforce, and the stop of a replica.

const BACKLOG = 100;
let world: WebhookWorld;
let receiver: EventReceiver;
beforeEach(async () => {
  const settings = { ...EVENT_SETTINGS, EVENT_BACKLOG: String(BACKLOG) };
  [world, receiver] = await Promise.all([startWorld({ settings }), EventReceiver.start()]);
});
afterEach(async () => {
  await receiver?.stop();
  await world?.close();
});

/** Inserts a delivery that was created this number of days ago, and got its final status `finalDays` days ago. */
async function writeFinalDelivery(
  at: SubscribedProcess,
  status: 'delivered' | 'dead',
  days: number,
  finalDays = days,
): Promise<string> {
  const instanceID = uuid();
  await world.store.write(
    `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, created_at, settled_at)
     VALUES (?, ?, ?, ?, 'instance.error', '{}', ?, UTC_TIMESTAMP(3) - INTERVAL ? HOUR, UTC_TIMESTAMP(3) - INTERVAL ? HOUR)`,
    [at.subscription.id, instanceID, at.companyID, at.processID, status, days * 24, finalDays * 24],
  );
  return instanceID;
}

test('delivered deliveries are kept for 7 days and dead ones for 30, from the moment on at which they became final', async () => {
  const at = await subscribe(world, receiver.url);
  const kept = [
    await writeFinalDelivery(at, 'delivered', 6.9),
    await writeFinalDelivery(at, 'dead', 29.9),
    await writeFinalDelivery(at, 'delivered', 20, 0),
    await writeFinalDelivery(at, 'dead', 32, 29.9),
  ];
  const old = [await writeFinalDelivery(at, 'delivered', 7.1), await writeFinalDelivery(at, 'dead', 30.1)];
  const left = async () => (await deliveriesOf(world, at)).map(({ instanceID }) => instanceID);
  await waitUntil('the old ones are deleted', async () => !(await left()).some((id) => old.includes(id)));
  expect((await left()).toSorted()).toEqual(kept.toSorted());
});

test('the oldest waiting deliveries become dead when the backlog has no room for more', async () => {
  receiver.answer = () => undefined;
  const at = await subscribe(world, receiver.url);
  const future = async (ids: string[], minutes: number) =>
    world.store.write(
      `UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY,
              created_at = UTC_TIMESTAMP(3) - INTERVAL ? MINUTE WHERE instance_id IN (?)`,
      [minutes, ids],
    );
  const oldest = await writeDeliveries(world, at, 5);
  await future(oldest, 10);
  const newest = await writeDeliveries(world, at, BACKLOG);
  await future(newest, 1);
  await waitUntil('the oldest are dead', async () => (await readSubscription(world, at))?.dead === oldest.length);
  const deliveries = await deliveriesOf(world, at);
  const dead = deliveries.filter(({ status }) => status === 'dead');
  expect(dead.map(({ instanceID }) => instanceID).toSorted()).toEqual(oldest.toSorted());
  expect(dead[0]?.lastError).toBe('too many deliveries of the subscription were waiting');
});

test('of deliveries that were created together, only those become dead for which the backlog has no room', async () => {
  receiver.answer = () => undefined;
  const at = await subscribe(world, receiver.url);
  await world.store.transaction(async (tx) => {
    const ids = await writeDeliveries({ ...world, store: tx }, at, BACKLOG + 5);
    await tx.write(
      `UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY,
              created_at = UTC_TIMESTAMP(3) - INTERVAL 1 MINUTE WHERE instance_id IN (?)`,
      [ids],
    );
  });
  await waitUntil('the backlog is cut', async () => ((await readSubscription(world, at))?.dead ?? 0) > 0);
  expect(await readSubscription(world, at)).toMatchObject({ waiting: BACKLOG, dead: 5 });
});

test('a replica that is stopped stores the result of the attempt that is in flight, and begins no other', async () => {
  const answers: (() => void)[] = [];
  receiver.answer = (response) => void answers.push(() => response.writeHead(200).end());
  const at = await subscribe(world, receiver.url);
  const instanceID = await writeDelivery(world, at);
  await waitUntil('the receiver has it', () => receiver.received.length === 1);
  const stopped = world.stopServices();
  for (const answer of answers) answer();
  await stopped;
  const later = await writeDelivery(world, at);
  const rows = await world.store.rows<{ instance_id: string; status: string }>(
    'SELECT instance_id, status FROM event_delivery WHERE subscription_id = ?',
    [at.subscription.id],
  );
  expect(new Map(rows.map((row) => [row.instance_id, row.status]))).toEqual(
    new Map([
      [instanceID, 'delivered'],
      [later, 'waiting'],
    ]),
  );
});

test('while an address fails its other deliveries wait without an attempt, and its first success makes them due', async () => {
  receiver.answer = (response) => void response.writeHead(500).end();
  const at = await subscribe(world, receiver.url);
  const failing = await writeDeliveries(world, at, 4);
  await waitUntil('four attempts failed', async () =>
    (await deliveriesOf(world, at)).every(({ lastStatus }) => lastStatus === 500),
  );
  const others = await writeDeliveries(world, at, 20);
  const countAttempted = async () => (await deliveriesOf(world, at)).filter(({ attempts }) => attempts > 0).length;
  await waitUntil('the others are deferred', async () => {
    const deliveries = await deliveriesOf(world, at);
    const waiting = deliveries.filter(({ instanceID, attempts }) => others.includes(instanceID) && attempts === 0);
    return (
      (await countAttempted()) > failing.length &&
      waiting.every(({ nextAttemptAt }) => Date.parse(nextAttemptAt ?? '') > Date.now())
    );
  });
  expect(await countAttempted()).toBeLessThan(failing.length + others.length);
  const fresh = (await deliveriesOf(world, at)).filter(({ attempts }) => attempts === 0);
  expect(fresh.length).toBeGreaterThan(0);
  receiver.answer = (response) => void response.writeHead(200).end();
  await world.store.write('UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) WHERE instance_id = ?', [
    failing[0],
  ]);
  await waitUntil('all without an attempt are delivered', async () => {
    const states = await Promise.all(fresh.map(({ instanceID }) => deliveryOf(world, at, instanceID)));
    return states.every((state) => state?.status === 'delivered');
  });
  expect(await readSubscription(world, at)).toMatchObject({ enabled: true });
});

/** A subscription with two due deliveries that no replica attempts. */
async function createDueDeliveries(): Promise<{ id: string; pauses: () => Promise<number[]> }> {
  const at = await subscribe(world, receiver.url);
  await world.stopServices();
  await writeDeliveries(world, at, 2);
  const { id } = at.subscription;
  const pauses = async () => {
    const rows = await world.store.rows<{ seconds: number }>(
      `SELECT TIMESTAMPDIFF(SECOND, UTC_TIMESTAMP(3), next_attempt_at) AS seconds FROM event_delivery
        WHERE subscription_id = ? AND status = 'waiting'`,
      [id],
    );
    return rows.map(({ seconds }) => seconds);
  };
  return { id, pauses };
}

test('a failed attempt does not defer the deliveries of a subscription that is being switched off', async () => {
  const { id, pauses } = await createDueDeliveries();
  const { deferral } = await world.store.transaction(async (tx) => {
    await tx.write('UPDATE event_subscription SET enabled = 0 WHERE subscription_id = ?', [id]);
    return { deferral: deferDue(world.store, id, 900_000) };
  });
  expect(await deferral).toBe(0);
  expect(Math.max(...(await pauses()))).toBeLessThanOrEqual(0);
});

test('deliveries are deferred no longer than their address has failed since the subscription was switched on', async () => {
  const { id, pauses } = await createDueDeliveries();
  expect(await deferDue(world.store, id, 900_000)).toBe(2);
  expect(Math.max(...(await pauses()))).toBeLessThanOrEqual(5);
  await world.store.write(
    'UPDATE event_subscription SET first_failure_at = UTC_TIMESTAMP(3) - INTERVAL 1 HOUR WHERE subscription_id = ?',
    [id],
  );
  await world.store.write('UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) WHERE subscription_id = ?', [
    id,
  ]);
  expect(await deferDue(world.store, id, 900_000)).toBe(2);
  expect(Math.min(...(await pauses()))).toBeGreaterThan(5);
});

test.each([
  ['makes the deliveries due that another replica has deferred for an address that has failed for an hour', 3_600, 0],
  ['leaves the deliveries deferred of an address that has failed for seconds', 1, 900],
])('a success %s', async (_, failingSeconds, pauseSeconds) => {
  const { id, pauses } = await createDueDeliveries();
  await world.store.write(
    'UPDATE event_subscription SET first_failure_at = UTC_TIMESTAMP(3) - INTERVAL ? SECOND WHERE subscription_id = ?',
    [failingSeconds, id],
  );
  const [leased] = await leaseDeliveries(world.store, await findDueDeliveries(world.store, [], 1), 30_000);
  await world.store.write(
    'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 15 MINUTE WHERE instance_id <> ?',
    [leased?.instance_id],
  );
  const target = (await findDeliveryTargets(world.store, [id])).get(id);
  if (!leased || !target) throw new Error('No due delivery');
  const logger = createLogger('test', 'silent');
  const otherReplica = new DeliveryAttempts(world.store, new DeliveryMetrics(new Metrics('test')), logger);
  const success = { status: 200, error: null, retryAfterMs: 0, durationMs: 1 };
  await otherReplica.save(leased, target, success, () => false);
  expect(Math.round(Math.max(...(await pauses())) / 900) * 900).toBe(pauseSeconds);
});

test('the metrics count attempts by their result', async () => {
  const at = await subscribe(world, receiver.url);
  await writeDelivery(world, at);
  const metrics = async () => (await fetch(`${world.metricsURL}/metrics`)).text();
  const counted = /^batuta_event_deliveries_total\{.*result="delivered".*\} 1$/m;
  await waitUntil('the attempt is counted', async () => counted.test(await metrics()));
  expect(await metrics()).toMatch(/^batuta_event_attempt_seconds_count.* 1$/m);
});

test('a last attempt that fails after its lease was lost does not count as dead, because another attempt or a switch-off decides about the delivery', async () => {
  const { id } = await createDueDeliveries();
  await world.store.write('UPDATE event_delivery SET attempts = 9 WHERE subscription_id = ?', [id]);
  const leased = await leaseDeliveries(world.store, await findDueDeliveries(world.store, [], 2), 30_000);
  await world.store.write('UPDATE event_delivery SET attempts = 11 WHERE instance_id = ?', [leased[0]?.instance_id]);
  const target = (await findDeliveryTargets(world.store, [id])).get(id);
  if (!target) throw new Error('No subscription');
  const metrics = new Metrics('test');
  const attempts = new DeliveryAttempts(world.store, new DeliveryMetrics(metrics), createLogger('test', 'silent'));
  const failure = { status: 500, error: 'the address answered 500', retryAfterMs: 0, durationMs: 1 };
  for (const delivery of leased) await attempts.save(delivery, target, failure, () => false);
  const { text } = await metrics.text();
  expect(text.match(/^batuta_event_deliveries_total.*/gm)?.toSorted()).toEqual([
    expect.stringMatching(/result="dead".* 1$/),
    expect.stringMatching(/result="retry".* 1$/),
  ]);
});
