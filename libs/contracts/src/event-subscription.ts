import type { Caller } from './caller';
import { rpc } from './subject';

/** Statuses of ended instances that an event subscription may ask for. */
export const SUBSCRIBED_STATUSES = ['success', 'error', 'terminated', 'stopped'] as const;
export type SubscribedStatus = (typeof SUBSCRIBED_STATUSES)[number];

/** Results of firings that an event subscription may ask for: those that started nothing. */
const SUBSCRIBED_FIRINGS = ['failed', 'skipped'] as const;
export type SubscribedFiring = (typeof SUBSCRIBED_FIRINGS)[number];

/** The name of an event, as its message carries it in `type`. */
export type EventName = `instance.${SubscribedStatus}` | `schedule.${SubscribedFiring}`;

const instanceEventName = (status: SubscribedStatus): EventName => `instance.${status}`;
export const firingEventName = (result: SubscribedFiring): EventName => `schedule.${result}`;

/** All events, in the order in which they are shown. */
export const EVENT_NAMES: readonly EventName[] = [
  ...SUBSCRIBED_STATUSES.map(instanceEventName),
  ...SUBSCRIBED_FIRINGS.map(firingEventName),
];

/** `gone`: the address answered 410. `failing`: no attempt succeeded for days. */
export const DISABLED_REASONS = ['gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** An address to which the events of a company are sent as signed HTTP requests. */
export interface EventSubscription {
  id: string;
  companyID: string;
  /** null = every process of the company. A subscription of one process is removed with it. */
  processID: string | null;
  url: string;
  events: EventName[];
  /**
   * While false, no delivery is created, and the waiting ones become dead, as they do while the company is suspended. A test event is sent
   * nevertheless.
   */
  enabled: boolean;
  /** Why the webhook service itself switched the subscription off; null when it did not. */
  disabledReason: DisabledReason | null;
  /** A time at most ten seconds before the latest success of a delivery, in ISO 8601 UTC; null before the first. A test event does not count. */
  lastSuccessAt: string | null;
  /** The number of deliveries with this status, counted up to 10,000. */
  waiting: number;
  /** The number of deliveries with this status, counted up to 10,000. */
  dead: number;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** A subscription with its signing secret (`whsec_` and Base64), which is shown once. */
export interface EventSubscriptionWithSecret extends EventSubscription {
  secret: string;
}

/** The fields that an administrator sets; the console has checked their types. */
export interface EventSubscriptionDraft {
  url: string;
  events: EventName[];
  processID: string | null;
  enabled: boolean;
}

/**
 * `waiting`: attempts follow. `delivered`: kept for 7 days more. `dead`: its last attempt failed, or it was ended without a further one, such as
 * when the subscription was switched off; it is sent again only on request, and kept for 30 days more.
 */
export const DELIVERY_STATUSES = ['waiting', 'delivered', 'dead'] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** The delivery of one event. */
export interface EventDelivery {
  /** Identifies the delivery within the subscription: the instance whose end it tells, or for a firing the id of the event. */
  instanceID: string;
  processID: string;
  event: EventName;
  status: DeliveryStatus;
  /** The number of attempts since the delivery was created or last requested again, with one in progress. */
  attempts: number;
  /** ISO 8601 UTC; null unless the delivery waits. During an attempt: when the next one follows if this one leaves no result. */
  nextAttemptAt: string | null;
  /** HTTP status of the answer to the last attempt that has ended; null when that attempt had no answer, and before the first. */
  lastStatus: number | null;
  /** Why the last attempt failed, or why the delivery ended without a further one; null before either and after a success. */
  lastError: string | null;
  /** ISO 8601 UTC. */
  createdAt: string;
  /** When the delivery succeeded or became dead, in ISO 8601 UTC; null while it waits. */
  settledAt: string | null;
}

/** A page of deliveries, newest first; `next` = the cursor of the next page. */
export interface EventDeliveryPage {
  deliveries: EventDelivery[];
  next?: string;
}

/** The result of a test event, which is sent once and not stored. */
export interface EventTestResult {
  /** Whether the address accepted the event with an answer 2xx. */
  ok: boolean;
  /** HTTP status of the answer; null when there was none. */
  status: number | null;
  /** Why the address did not accept it; null when `ok`. */
  error: string | null;
  durationMs: number;
}

/** The company of a subscription, and who changes it. A request of the previous release has no account. */
export interface SubscriptionScope extends Partial<Caller> {
  companyID: string;
}

/**
 * Requests of the console to the webhook service. Those that name a subscription throw NOT_FOUND unless the company has it; those that change
 * something also throw OWNER_INACTIVE and INVALID_CREDENTIAL.
 */
export const eventSubscription = {
  /** Oldest first. */
  list: rpc<{ companyID: string }, { subscriptions: EventSubscription[] }>('webhook.event-subscriptions'),
  /**
   * Throws QUOTA_EXCEEDED, and BAD_REQUEST for a `url` that the webhook service may not call, unusable `events`, or a process that the company does
   * not own.
   */
  create: rpc<SubscriptionScope & { draft: EventSubscriptionDraft }, EventSubscriptionWithSecret>(
    'webhook.create-event-subscription',
  ),
  /** Switching a subscription on clears its `disabledReason`. Throws BAD_REQUEST as `create` does. */
  change: rpc<SubscriptionScope & { id: string; change: Partial<EventSubscriptionDraft> }, EventSubscription>(
    'webhook.change-event-subscription',
  ),
  /** Waiting deliveries are not sent any more; all are deleted afterwards. */
  remove: rpc<SubscriptionScope & { id: string }, { ok: true }>('webhook.remove-event-subscription'),
  /** Makes a new secret; for 24 hours messages carry the signatures of both. A second rotation in this time ends the oldest secret at once. */
  rotateSecret: rpc<SubscriptionScope & { id: string }, EventSubscriptionWithSecret>(
    'webhook.rotate-event-subscription-secret',
  ),
  /**
   * Sends a test event, also to a subscription that is switched off; stores nothing. The RPC waits for the answer of the address, for at most
   * EVENT_TIMEOUT_MS (10 s unless set), so its own time limit must be longer. Throws CONFLICT while another test of the subscription, two of the
   * company, or 16 in all are in flight at the same replica.
   */
  test: rpc<{ companyID: string; id: string }, EventTestResult>('webhook.test-event-subscription'),
  /** `before` = the `next` of the previous page; a `limit` outside of 1 to 500 is clamped. Throws BAD_REQUEST for a `before` of another form. */
  deliveries: rpc<
    { companyID: string; id: string; status?: DeliveryStatus; before?: string; limit: number },
    EventDeliveryPage
  >('webhook.event-deliveries'),
  /**
   * Sends the dead delivery of one event again, or without `instanceID` all dead deliveries, at most 10,000; the count of attempts begins anew.
   * Returns their number. Throws CONFLICT while the subscription is switched off.
   */
  redeliver: rpc<SubscriptionScope & { id: string; instanceID?: string }, { redelivered: number }>(
    'webhook.redeliver-events',
  ),
};
