import type { Store } from '@batuta/database';

/** Maximum length of the error message in an event. A message may have 64 KB; a receiver reads the rest at the API. */
const MAX_MESSAGE_CHARACTERS = 2_000;

/** ISO 8601 UTC with milliseconds; null stays null. */
const isoTime = (column: string) => `CONCAT(LEFT(DATE_FORMAT(${column}, '%Y-%m-%dT%H:%i:%s.%f'), 23), 'Z')`;

/** The data of the event. It has no values of the instance: subscribers are not its viewers. */
const PAYLOAD_SQL = `JSON_OBJECT(
    'instanceID', i.instance_id, 'processID', i.process_id, 'processName', i.process_name, 'companyID', i.company_id,
    'status', i.status, 'outcome', i.outcome, 'userName', i.user_name, 'environmentID', i.environment_id,
    'trigger', i.trigger_kind, 'acceptedAt', ${isoTime('i.accepted_at')}, 'startedAt', ${isoTime('i.started_at')},
    'finishedAt', ${isoTime('i.finished_at')}, 'errorStep', i.error_step,
    'errorMessage', LEFT(i.error_message, ${MAX_MESSAGE_CHARACTERS}), 'retryOf', i.retry_of)`;

/**
 * Adds to the commit one delivery of the end of each instance that is no debug run, for each event subscription that asks for it: ends and their
 * deliveries are one transaction, so that a crash loses neither. `atCommit` runs statements in the order of its calls, and this one reads the
 * status of the instances: call it after `atCommit` got the statement that writes their ends. Without subscriptions it reads one index besides
 * the instances.
 */
export function writeEndEvents(tx: Store, instanceIDs: string[]): void {
  if (instanceIDs.length === 0) return;
  tx.atCommit(
    `INSERT IGNORE INTO event_delivery (subscription_id, instance_id, company_id, process_id, event, payload, status,
       next_attempt_at, created_at)
     SELECT s.subscription_id, i.instance_id, i.company_id, i.process_id, CONCAT('instance.', i.status), ${PAYLOAD_SQL},
            'waiting', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3)
       FROM instance i STRAIGHT_JOIN event_subscription s FORCE INDEX (event_subscription_company) ON s.company_id = i.company_id
      WHERE i.instance_id IN (?) AND s.enabled = 1 AND i.trigger_kind <> 'debug'
        AND (s.process_id IS NULL OR s.process_id = i.process_id) AND FIND_IN_SET(i.status, s.events) > 0`,
    [instanceIDs],
  );
}
