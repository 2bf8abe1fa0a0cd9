import type { Store } from '@batuta/database';
import type { InstanceRow } from './instance-row';

/**
 * Adds, with the commit, the rows by which an account with a share finds the audit events of instances that it started
 * (interpretation 51). Its statement must follow the INSERT of these events directly, because it reads the first of their ids by LAST_INSERT_ID.
 * Instances of the owner, who sees all events, and of webhooks need no statement.
 */
export function writeShareEvents(
  tx: Store,
  instances: Pick<InstanceRow, 'instance_id' | 'owner_account_id' | 'starter_account_id'>[],
): void {
  const shared = instances.filter(
    (row) => row.starter_account_id !== null && row.starter_account_id !== row.owner_account_id,
  );
  if (shared.length === 0) return;
  // The number of the first row of the INSERT is the lower limit, so that the statement reads the end of the table.
  tx.atCommit(
    `INSERT INTO share_event (process_id, account_id, event_id)
       SELECT e.process_id, i.starter_account_id, e.event_id
         FROM audit_event e STRAIGHT_JOIN instance i ON i.instance_id = e.instance_id
        WHERE e.event_id >= LAST_INSERT_ID() AND e.instance_id IN (?)`,
    [shared.map((row) => row.instance_id)],
  );
}
