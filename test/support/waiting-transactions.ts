import type { Store } from '@batuta/database';

/**
 * Number of transactions of the store's database that wait for a lock. Poll at intervals above 100 ms: MariaDB renews its list only when
 * nobody has read it for that time.
 */
export async function countWaitingTransactions(store: Store): Promise<number> {
  const rows = await store.rows(
    `SELECT 1 FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
      WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
  );
  return rows.length;
}
