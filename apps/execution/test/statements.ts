import type { Store } from '@batuta/database';

/**
 * A condition for `waitUntil`: true while another connection carries out a statement that contains this text, in which `%` and `_` are those of
 * LIKE. The query runs in the transaction that delays that statement, because the server ends an idle transaction.
 */
export const isInProgress = (tx: Store, textPattern: string) => async () => {
  const sql =
    'SELECT COUNT(*) AS n FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE ?';
  return Number((await tx.row<{ n: number }>(sql, [`%${textPattern}%`]))?.n) > 0;
};
