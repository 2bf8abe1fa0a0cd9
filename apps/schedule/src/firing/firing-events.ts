import { firingEventName, type SubscribedFiring } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import type { FiringReason } from './attempt-result';

/** A nominal time that started nothing, or with `until` all those that an outage missed, from `nominalAt` on and before `until`. */
export interface FiringEvent {
  /** The id of the message, which differs from those of all other events and of all accepted instances. */
  eventID: string;
  scheduleID: string;
  nominalAt: Date;
  until?: Date;
  result: SubscribedFiring;
  reason: FiringReason;
}

interface Subscriber {
  schedule_id: string;
  name: string;
  process_id: string;
  process_name: string;
  company_id: string;
  subscription_id: string;
  /** The short names of the events that the subscription asks for, separated by commas. */
  events: string;
}

/**
 * Adds a delivery of each event for each subscription of the process's company that is switched on, covers the process and asks for the event. A
 * delivery that exists stays as it is. To be called in the transaction that writes the results of the firings, so that a crash loses neither.
 */
export async function writeFiringEvents(tx: Store, events: FiringEvent[]): Promise<void> {
  if (events.length === 0) return;
  const subscribers = await subscribersOf(tx, [...new Set(events.map(({ scheduleID }) => scheduleID))]);
  const rows = subscribers.flatMap((subscriber) =>
    events
      .filter(({ scheduleID, result }) => scheduleID === subscriber.schedule_id && asksFor(subscriber, result))
      .map((event) => toColumns(subscriber, event)),
  );
  if (rows.length === 0) return;
  const delivery = "(?, ?, ?, ?, ?, ?, 'waiting', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3))";
  await tx.write(
    `INSERT IGNORE INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status,
       next_attempt_at, created_at) VALUES ${rows.map(() => delivery).join(', ')}`,
    rows.flat(),
  );
}

function subscribersOf(tx: Store, scheduleIDs: string[]): Promise<Subscriber[]> {
  return tx.rows<Subscriber>(
    `SELECT s.schedule_id, s.name, p.process_id, p.process_name, p.company_id, e.subscription_id, e.events
       FROM schedule s JOIN process p ON p.process_id = s.process_id
       JOIN event_subscription e ON e.company_id = p.company_id AND (e.process_id IS NULL OR e.process_id = p.process_id)
      WHERE s.schedule_id IN (?) AND e.enabled = 1`,
    [scheduleIDs],
  );
}

const asksFor = (subscriber: Subscriber, result: SubscribedFiring) => subscriber.events.split(',').includes(result);

function toColumns(subscriber: Subscriber, { eventID, scheduleID, nominalAt, until, result, reason }: FiringEvent) {
  const { subscription_id, process_id: processID, company_id: companyID } = subscriber;
  const data = {
    scheduleID,
    scheduleName: subscriber.name,
    processID,
    processName: subscriber.process_name,
    companyID,
    nominalAt: nominalAt.toISOString(),
    until: until?.toISOString() ?? null,
    reason,
  };
  return [subscription_id, eventID, companyID, processID, firingEventName(result), JSON.stringify(data)];
}
