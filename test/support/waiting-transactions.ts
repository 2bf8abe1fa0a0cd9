import type { Store } from '@batuta/database';

/** Number of transactions of this database that wait for a lock. MariaDB counts anew only when nobody has asked for 100 ms. */
export async function waitingTransactions(store: Store): Promise<number> {
  const rows = await store.rows(
    `SELECT 1 FROM information_schema.innodb_trx t JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
      WHERE p.db = DATABASE() AND t.trx_state = 'LOCK WAIT'`,
  );
  return rows.length;
}
