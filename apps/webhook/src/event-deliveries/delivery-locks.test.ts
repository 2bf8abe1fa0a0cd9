import type { Store } from '@batuta/database';
import { waitUntil } from '../../../../test/support/wait-until';
import { countWaitingTransactions } from '../../../../test/support/waiting-transactions';
import { EventReceiver } from '../../test/event-receiver';
import { EVENT_SETTINGS, subscribe, writeDeliveries, writeDelivery } from '../../test/events';
import { startWorld, type WebhookWorld } from '../../test/world';
import { lockSubscription, makeOldestDue } from '../event-subscriptions/event-subscription.repository';
import { endExcessWaiting } from './delivery-retention.repository';
import { deferDue } from './deferral.repository';
import {
  disableSubscription,
  findDueDeliveries,
  endWaiting,
  leaseDeliveries,
  saveDelivered,
  saveFailed,
  type LeasedDelivery,
} from './delivery.repository';

let world: WebhookWorld;
let receiver: EventReceiver;
beforeEach(async () => {
  [world, receiver] = await Promise.all([startWorld({ settings: EVENT_SETTINGS }), EventReceiver.start()]);
});
afterEach(async () => {
  await receiver?.stop();
  await world?.close();
});

interface Scope {
  companyID: string;
  id: string;
}

/** Makes a subscription with one delivery, whose lease ends at once, and stops all replicas. */
async function createLeasedDelivery(): Promise<Scope & { delivery: LeasedDelivery }> {
  const at = await subscribe(world, receiver.url);
  await world.stopServices();
  await writeDelivery(world, at);
  const [delivery] = await leaseDeliveries(world.store, await findDueDeliveries(world.store, [], 10), 0);
  if (!delivery) throw new Error('No due delivery');
  return { companyID: at.companyID, id: at.subscription.id, delivery };
}

/** MariaDB counts waiting transactions anew only when nobody has asked for 100 ms. */
const POLL = { everyMs: 200 };

/**
 * Begins the changes one after the other while the delivery is locked. Returns how many transactions ran: one for each change, and another one after
 * each deadlock.
 */
async function countRunsWhileLocked(
  { subscription_id, instance_id }: LeasedDelivery,
  changes: ((tx: Store) => Promise<unknown>)[],
): Promise<number> {
  let runs = 0;
  const begin = (change: (tx: Store) => Promise<unknown>) =>
    world.store.transaction((tx) => {
      runs += 1;
      return change(tx);
    });
  const { begun } = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM event_delivery WHERE subscription_id = ? AND instance_id = ? FOR UPDATE', [
      subscription_id,
      instance_id,
    ]);
    const begunChanges: Promise<unknown>[] = [];
    for (const change of changes) {
      begunChanges.push(begin(change));
      await waitUntil(
        'it waits for a lock',
        async () => (await countWaitingTransactions(world.store)) === begunChanges.length,
        POLL,
      );
    }
    return { begun: begunChanges };
  });
  await Promise.all(begun);
  return runs;
}

const FAILURE = { url: 'https://receiver.example', status: 500, error: 'HTTP 500', pauseMs: 60_000, isGone: false };
const ATTEMPTS = {
  failed: (tx: Store, delivery: LeasedDelivery) => saveFailed(tx, delivery, FAILURE),
  successful: (tx: Store, delivery: LeasedDelivery) => saveDelivered(tx, delivery, 200),
};
const CHANGES = {
  deferral: (tx: Store, { id }: Scope) => deferDue(tx, id, 60_000),
  'switching off': async (tx: Store, { companyID, id }: Scope) => {
    await lockSubscription(tx, companyID, id);
    await makeOldestDue(tx, id);
  },
};

test.each([
  ['failed', 'deferral'],
  ['failed', 'switching off'],
  ['successful', 'deferral'],
  ['successful', 'switching off'],
] as const)(
  'a %s attempt, the %s of its subscription and the end of the waiting deliveries do not deadlock',
  async (attempt, change) => {
    const { delivery, ...scope } = await createLeasedDelivery();
    const runs = await countRunsWhileLocked(delivery, [
      (tx) => ATTEMPTS[attempt](tx, delivery),
      (tx) => CHANGES[change](tx, scope),
      (tx) => endWaiting(tx, scope.id),
    ]);
    expect(runs).toBe(3);
  },
);

/**
 * Makes a subscription with deliveries that wait until tomorrow, and stops all replicas. `ids` has the oldest first; `count` counts the deliveries
 * that fulfil an SQL condition.
 */
async function createWaitingDeliveries(number: number) {
  const at = await subscribe(world, receiver.url);
  await world.stopServices();
  const ids = await writeDeliveries(world, at, number);
  const [id, companyID] = [at.subscription.id, at.companyID];
  await world.store.write(
    'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) + INTERVAL 1 DAY WHERE subscription_id = ?',
    [id],
  );
  const count = async (condition: string) => {
    const sql = `SELECT COUNT(*) AS number FROM event_delivery WHERE subscription_id = ? AND ${condition}`;
    return Number((await world.store.row<{ number: number }>(sql, [id]))?.number);
  };
  return { id, companyID, ids: ids.toSorted(), count };
}

const SWITCH_SQL = 'UPDATE event_subscription SET enabled = ? WHERE subscription_id = ?';
const SUSPEND_SQL = 'UPDATE company SET suspended = ? WHERE company_id = ?';

test.each([
  ['the subscription is switched on', SWITCH_SQL, 'id', 0, 1],
  ['the company is suspended no longer', SUSPEND_SQL, 'companyID', 1, 0],
] as const)('no delivery ends once %s', async (_, change, key, closed, open) => {
  const waiting = await createWaitingDeliveries(2);
  await world.store.write(change, [closed, waiting[key]]);
  const { ending } = await world.store.transaction(async (tx) => {
    await tx.write(change, [open, waiting[key]]);
    return { ending: endWaiting(world.store, waiting.id) };
  });
  expect((await ending).changed).toBe(0);
  expect(await waiting.count("status = 'waiting'")).toBe(2);
});

test('when the ending of the deliveries of a closed subscription stops early, one of the rest is due, so that the next round continues', async () => {
  const { id, count } = await createWaitingDeliveries(120);
  await world.store.write(SWITCH_SQL, [0, id]);
  let begun = 0;
  const { changed: ended } = await endWaiting(world.store, id, { isStopping: () => (begun += 1) > 1 });
  expect(await count("status = 'waiting'")).toBe(120 - ended);
  expect(await count("status = 'waiting' AND next_attempt_at <= UTC_TIMESTAMP(3)")).toBe(1);
});

const DISABLING: [string, (id: string) => Promise<unknown>][] = [
  [
    'an answer 410',
    async (id) => {
      await world.store.write(
        'UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3) WHERE subscription_id = ? LIMIT 1',
        [id],
      );
      const [leased] = await leaseDeliveries(world.store, await findDueDeliveries(world.store, [], 10), 60_000);
      if (!leased) throw new Error('No due delivery');
      await saveFailed(world.store, leased, {
        url: receiver.url,
        status: 410,
        error: '410',
        pauseMs: undefined,
        isGone: true,
      });
    },
  ],
  [
    'the failures of days',
    async (id) => {
      const failing = 'first_failure_at = UTC_TIMESTAMP(3) - INTERVAL 6 DAY';
      await world.store.write(`UPDATE event_subscription SET ${failing} WHERE subscription_id = ?`, [id]);
      await disableSubscription(world.store, id, 'failing');
    },
  ],
];

test.each(DISABLING)(
  '%s makes a waiting delivery due, so that the next round of any replica ends all',
  async (_, off) => {
    const { id, count } = await createWaitingDeliveries(3);
    await off(id);
    expect(await count("status = 'waiting' AND next_attempt_at <= UTC_TIMESTAMP(3)")).toBe(1);
  },
);

test('deliveries that another replica ends at the same moment count for the bound of the round', async () => {
  const { id, ids } = await createWaitingDeliveries(2);
  await world.store.write(SWITCH_SQL, [0, id]);
  const { endings } = await world.store.transaction(async (tx) => {
    await tx.rows('SELECT 1 FROM event_delivery WHERE subscription_id = ? AND instance_id IN (?) FOR UPDATE', [
      id,
      ids,
    ]);
    const begun = [endWaiting(world.store, id), endWaiting(world.store, id)];
    await waitUntil('both wait for a lock', async () => (await countWaitingTransactions(world.store)) === 2, POLL);
    return { endings: begun };
  });
  const [first, second] = await Promise.all(endings);
  expect([first?.found, second?.found]).toEqual([2, 2]);
  expect((first?.changed ?? 0) + (second?.changed ?? 0)).toBe(2);
});

test('switching off makes the next delivery due when an attempt has just ended the oldest', async () => {
  const { id, companyID, ids, count } = await createWaitingDeliveries(2);
  const { switching } = await world.store.transaction(async (tx) => {
    await tx.write(
      `UPDATE event_delivery FORCE INDEX (PRIMARY) SET status = 'delivered', next_attempt_at = NULL
        WHERE subscription_id = ? AND instance_id = ?`,
      [id, ids[0]],
    );
    const begun = world.store.transaction((other) => CHANGES['switching off'](other, { companyID, id }));
    await waitUntil('it waits for a lock', async () => (await countWaitingTransactions(world.store)) === 1, POLL);
    return { switching: begun };
  });
  await switching;
  expect(await count("status = 'waiting' AND next_attempt_at <= UTC_TIMESTAMP(3)")).toBe(1);
});

test('a sweep ends only as many deliveries of a closed subscription as it may take at a time', async () => {
  const { id, count } = await createWaitingDeliveries(120);
  await world.store.write(SWITCH_SQL, [0, id]);
  const dropped = await endExcessWaiting(world.store, id, 1_000, { maxRows: 1 });
  expect(dropped).toBeGreaterThan(0);
  expect(await count("status = 'waiting'")).toBe(120 - dropped);
  expect(dropped).toBeLessThan(120);
});

test('a sweep does not end the deliveries of a removed subscription, which the sweeps delete', async () => {
  const { id, count } = await createWaitingDeliveries(2);
  await world.store.write('DELETE FROM event_subscription WHERE subscription_id = ?', [id]);
  expect(await endExcessWaiting(world.store, id, 0, {})).toBe(0);
  expect(await count("status = 'waiting'")).toBe(2);
});
