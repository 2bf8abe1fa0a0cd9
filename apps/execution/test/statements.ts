import type { Store } from '@batuta/database';

/**
 * Whether a statement of another connection is in progress. The query runs in the transaction that delays that statement, because
 * the server ends an idle transaction.
 */
export const isInProgress = (tx: Store, statement: string) => async () => {
  const sql =
    'SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE ?';
  return Number((await tx.row<{ n: number }>(sql, [`%${statement}%`]))?.n) > 0;
};
