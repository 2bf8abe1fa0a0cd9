import { eventSubscription } from '@batuta/contracts';
import { EventReceiver } from '../../test/event-receiver';
import {
  deliveryOf,
  EVENT_SETTINGS,
  scopeOf,
  subscribe,
  untilStatus,
  writeDeliveries,
  writeDelivery,
} from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';
import { waitUntil } from '../../../../test/support/wait-until';
import { disableSubscription } from './delivery.repository';
import { MAX_ENDED_PER_ROUND } from './end-deliveries';

let world: WebhookWorld;
let receiver: EventReceiver;
beforeAll(async () => {
  // No sweep begins during the test, because it would also end deliveries.
  world = await startWorld({ settings: { ...EVENT_SETTINGS, SWEEP_MS: '86400000' } });
  receiver = await EventReceiver.start();
});
afterAll(async () => {
  await receiver?.stop();
  await world?.close();
});

/** Locks the rows of a query until the returned function is called. */
async function lock(query: string, parameters: unknown[]): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), new AbortController()];
  const transaction = world.store.transaction(async (tx) => {
    await tx.row(`${query} FOR UPDATE`, parameters);
    locked.resolve();
    // The database ends a transaction that is silent for ten seconds.
    while (!released.signal.aborted) await tx.row('SELECT SLEEP(0.1)');
  });
  await locked.promise;
  return () => {
    released.abort();
    return transaction;
  };
}

test('all deliveries of a closed subscription end, also more than one round ends and those that are not due for a day', async () => {
  const closed = await subscribe(world, receiver.url);
  const { id } = closed.subscription;
  await world.store.write('UPDATE event_subscription SET enabled = 0 WHERE subscription_id = ?', [id]);
  const ids: string[] = [];
  for (let batch = 0; batch < 4; batch += 1) {
    await world.store.transaction(async (tx) => {
      ids.push(...(await writeDeliveries({ ...world, store: tx }, closed, 300)));
      await tx.write(
        'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE subscription_id = ?',
        [id],
      );
    });
  }
  await world.store.write(
    'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) WHERE subscription_id = ? AND instance_id = ?',
    [id, ids[0]],
  );
  const countOf = async (status: string) => {
    const sql = 'SELECT COUNT(*) AS n FROM event_delivery WHERE subscription_id = ? AND status = ?';
    return (await world.store.row<{ n: number }>(sql, [id, status]))?.n;
  };
  expect(ids.length).toBeGreaterThan(MAX_ENDED_PER_ROUND);
  // On a busy machine a bite has few deliveries, and pauses follow it.
  const allEnded = async () => (await countOf('waiting')) === 0;
  await waitUntil('all deliveries of the closed subscription have ended', allEnded, { timeoutMs: 150_000 });
  expect(await countOf('dead')).toBe(ids.length);
});

test('the waiting deliveries of a subscription that the service switched off end, also those that wait for a later attempt', async () => {
  const at = await subscribe(world, receiver.url);
  const ids = await world.store.transaction(async (tx) => {
    const written = await writeDeliveries({ ...world, store: tx }, at, 2);
    await tx.write(
      'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE subscription_id = ?',
      [at.subscription.id],
    );
    await disableSubscription(tx, at.subscription.id, 'gone');
    return written;
  });
  for (const instanceID of ids) await untilStatus(world, at, instanceID, 'dead');
  expect(await deliveryOf(world, at, ids[0] ?? '')).toMatchObject({
    lastError: 'the subscription is switched off: gone',
  });
});

test('deliveries are sent although those of a closed subscription cannot end because of a lock', async () => {
  const [closed, open] = [await subscribe(world, receiver.url), await subscribe(world, receiver.url)];
  const { id } = closed.subscription;
  await world.store.write('UPDATE event_subscription SET enabled = 0 WHERE subscription_id = ?', [id]);
  const release = await lock('SELECT 1 FROM event_subscription WHERE subscription_id = ?', [id]);
  try {
    // Both become due at once, in the same round.
    const sent = await world.store.transaction(async (tx) => {
      await writeDelivery({ ...world, store: tx }, closed);
      return writeDelivery({ ...world, store: tx }, open);
    });
    expect(await untilStatus(world, open, sent, 'delivered')).toBe(true);
  } finally {
    await release();
  }
});

test('deliveries for which a subscription no longer asks end although those of a closed one cannot end because of a lock', async () => {
  const [closed, narrowed] = [await subscribe(world, receiver.url), await subscribe(world, receiver.url)];
  await world.rpc.call(eventSubscription.change, { ...scopeOf(narrowed), change: { events: ['instance.error'] } });
  const { id } = closed.subscription;
  await world.store.write('UPDATE event_subscription SET enabled = 0 WHERE subscription_id = ?', [id]);
  const release = await lock('SELECT 1 FROM event_subscription WHERE subscription_id = ?', [id]);
  try {
    const unasked = await world.store.transaction(async (tx) => {
      await writeDelivery({ ...world, store: tx }, closed);
      return writeDelivery({ ...world, store: tx }, narrowed);
    });
    expect(await untilStatus(world, narrowed, unasked, 'dead')).toBe(true);
  } finally {
    await release();
  }
});
