import { execution, type RequestsOf } from '@batuta/contracts';
import type { Store } from '@batuta/database';

/** An event that belongs to the process and to no instance. */
export async function recordAudit(
  store: Store,
  { processID, accountID, action, executor, detail }: RequestsOf<typeof execution>['recordAudit'],
): Promise<void> {
  await store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       VALUES (?, NULL, ?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [processID, accountID, action, executor, JSON.stringify(detail)],
  );
}
