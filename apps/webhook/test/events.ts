import {
  eventSubscription,
  type EventDelivery,
  type EventSubscriptionDraft,
  type EventSubscriptionWithSecret,
} from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { waitUntil } from '../../../test/support/wait-until';
import { registerProcess, type TestProcess } from './registry';
import type { WebhookWorld } from './world';

/** Time limit for the receiver's answer. A busy machine answers within it: a late answer would cause a second attempt, which the tests count. */
export const ANSWER_LIMIT_MS = 10_000;
/** Settings under which events go to a receiver on this machine. */
export const EVENT_SETTINGS = {
  EVENT_ALLOW_HOSTS: '127.0.0.1',
  EVENT_TICK_MS: '50',
  EVENT_TIMEOUT_MS: String(ANSWER_LIMIT_MS),
};

export type SubscribedProcess = TestProcess & { subscription: EventSubscriptionWithSecret };

/**
 * Makes a subscription of `url` for the company of the process `of`, or for a new company; by default to the successes and errors of all its
 * processes.
 */
export async function subscribe(
  world: WebhookWorld,
  url: string,
  { of, ...draft }: Partial<EventSubscriptionDraft> & { of?: TestProcess } = {},
): Promise<SubscribedProcess> {
  const registered = of ?? (await registerProcess(world.store));
  const subscription = await world.rpc.call(eventSubscription.create, {
    companyID: registered.companyID,
    draft: { url, events: ['instance.success', 'instance.error'], processID: null, enabled: true, ...draft },
  });
  return { ...registered, subscription };
}

/** Inserts deliveries as the execution service does at the end of an instance. Returns the ids of the instances. */
export async function writeDeliveries(world: WebhookWorld, at: SubscribedProcess, number = 1): Promise<string[]> {
  const ids = Array.from({ length: number }, () => uuid());
  const rows = ids.map((instanceID) => [
    at.subscription.id,
    instanceID,
    at.companyID,
    at.processID,
    'instance.success',
    JSON.stringify({ instanceID, processName: 'Pedidos “ágeis” 💡' }),
    'waiting',
  ]);
  await world.store.write(
    `INSERT INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status, next_attempt_at, created_at)
       SELECT d.*, UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM (${rows.map(() => 'SELECT ? AS a, ? AS b, ? AS c, ? AS d, ? AS e, ? AS f, ? AS g').join(' UNION ALL ')}) d`,
    rows.flat(),
  );
  return ids;
}

export async function writeDelivery(world: WebhookWorld, at: SubscribedProcess): Promise<string> {
  const [id = ''] = await writeDeliveries(world, at);
  return id;
}

export const scopeOf = ({ companyID, subscription: { id } }: SubscribedProcess) => ({ companyID, id });

export async function deliveriesOf(world: WebhookWorld, at: SubscribedProcess): Promise<EventDelivery[]> {
  return (await world.rpc.call(eventSubscription.deliveries, { ...scopeOf(at), limit: 500 })).deliveries;
}

export async function deliveryOf(
  world: WebhookWorld,
  at: SubscribedProcess,
  instanceID: string,
): Promise<EventDelivery | undefined> {
  return (await deliveriesOf(world, at)).find((delivery) => delivery.instanceID === instanceID);
}

/** The subscription as the list shows it now; undefined once it was removed. */
export async function readSubscription(world: WebhookWorld, at: SubscribedProcess) {
  const { subscriptions } = await world.rpc.call(eventSubscription.list, { companyID: at.companyID });
  return subscriptions.find(({ id }) => id === at.subscription.id);
}

/** Ends the pause of waiting deliveries; `attempts` replaces their number of attempts. */
export async function endPauses(world: WebhookWorld, at: SubscribedProcess, attempts?: number): Promise<void> {
  await world.store.write(
    `UPDATE event_delivery SET next_attempt_at = UTC_TIMESTAMP(3), attempts = COALESCE(?, attempts)
      WHERE subscription_id = ? AND status = 'waiting'`,
    [attempts ?? null, at.subscription.id],
  );
}

export function untilStatus(
  world: WebhookWorld,
  at: SubscribedProcess,
  instanceID: string,
  status: string,
): Promise<true> {
  return waitUntil(
    `the delivery is ${status}`,
    async () => (await deliveryOf(world, at, instanceID))?.status === status,
  );
}

/** Waits until this attempt of the delivery has a result. */
export function untilAttempts(
  world: WebhookWorld,
  at: SubscribedProcess,
  instanceID: string,
  attempts: number,
): Promise<true> {
  return waitUntil(`attempt ${attempts} has a result`, async () => {
    const delivery = await deliveryOf(world, at, instanceID);
    return delivery?.attempts === attempts && (delivery.lastError !== null || delivery.status === 'delivered');
  });
}
