import { BiteSize, type Store } from '@batuta/database';
import type { KeyRing } from '../key-ring';
import { SEALED_COLUMNS, type SealedColumn } from './sealed-columns';
import { sealedPages, whereKey, type SealedRow } from './sealed-rows';

/** Maximum bytes of values in one transaction; a larger value gets a transaction of its own. */
const BITE_BYTES = 1024 * 1024;
/** Rounds through all columns. A service that has not restarted yet may still seal under an old key in a column that the job has passed. */
const MAX_ROUNDS = 3;
/** Rows that are named in the report; the others are counted. */
const MAX_NAMED_ROWS = 20;

export interface ResealReport {
  /** The key under which this run seals. */
  keyID: string;
  /** Number of values that this run sealed again. */
  resealed: number;
  /** Numbers of values that are still sealed under another key, by `table.column` and key id. */
  left: Record<string, Record<string, number>>;
  /**
   * Rows whose value could not be unsealed, because its key is missing or its bytes were changed. At most the first MAX_NAMED_ROWS.
   */
  unreadable: string[];
  /** Idempotency keys whose body was authenticated with another key, and when the last of them expires. */
  idempotencyKeys: { count: number; until: Date | null };
}

const SEALED_COLUMN_LIST = Object.values(SEALED_COLUMNS);

/**
 * Seals every value that is not sealed under the first key of the ring again, in small transactions and while the services run. Values that a service
 * changes meanwhile are skipped: a later round finds those that still have an old key, and `left` counts what remains after MAX_ROUNDS. After an
 * interruption, run it again.
 */
export async function reseal(store: Store, keys: KeyRing): Promise<ResealReport> {
  const unreadable = new Set<string>();
  let resealed = 0;
  let left = {};
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    for (const column of SEALED_COLUMN_LIST) resealed += await resealColumn(store, keys, column, unreadable);
    left = await countLeft(store, keys);
    if (Object.keys(left).length === 0) break;
  }
  return {
    keyID: keys.sealingID,
    resealed,
    left,
    unreadable: [...unreadable].slice(0, MAX_NAMED_ROWS),
    idempotencyKeys: await countIdempotencyKeys(store, keys),
  };
}

async function resealColumn(
  store: Store,
  keys: KeyRing,
  column: SealedColumn,
  unreadable: Set<string>,
): Promise<number> {
  const size = new BiteSize();
  let resealed = 0;
  for await (const page of sealedPages(store, column)) {
    let rows = page.filter(({ keyID }) => keyID !== keys.sealingID);
    while (rows.length > 0) {
      await size.run(async (most) => {
        const bite = rowsForOneTransaction(rows, most);
        rows = rows.slice(bite.length);
        resealed += await resealRows(store, keys, { column, rows: bite, unreadable });
        return bite.length;
      });
    }
  }
  return resealed;
}

/** As many of the first rows as fit into one transaction, and at least one. */
function rowsForOneTransaction(rows: SealedRow[], most: number): SealedRow[] {
  let bytes = 0;
  const fitting = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && (index >= most || bytes > BITE_BYTES);
  });
  return fitting === -1 ? rows : rows.slice(0, fitting);
}

async function resealRows(
  store: Store,
  keys: KeyRing,
  { column, rows, unreadable }: { column: SealedColumn; rows: SealedRow[]; unreadable: Set<string> },
): Promise<number> {
  const { table, column: name } = column;
  return store.transaction(async (tx) => {
    const changes = await Promise.all(
      rows.map(async (row) => {
        const found = await tx.row<{ sealed: Buffer | null }>(
          `SELECT ${name} AS sealed FROM ${table} WHERE ${whereKey(column)}`,
          row.key,
        );
        const sealed = found?.sealed ? resealValue(keys, found.sealed, column.contextOf(row.columns)) : undefined;
        if (found?.sealed && !sealed) unreadable.add(`${table} ${rowName(row)}`);
        return found?.sealed && sealed ? { row, before: found.sealed, sealed } : undefined;
      }),
    );
    const due = changes.filter((change) => change !== undefined);
    // The condition on the old value skips a value that a service has written since the read.
    const written = await Promise.all(
      due.map(({ row, before, sealed }) =>
        tx.write(`UPDATE ${table} SET ${name} = ? WHERE ${whereKey(column)} AND ${name} = ?`, [
          sealed,
          ...row.key,
          before,
        ]),
      ),
    );
    return written.reduce((sum, { affectedRows }) => sum + affectedRows, 0);
  });
}

function resealValue(keys: KeyRing, sealed: Buffer, context: string): Buffer | undefined {
  try {
    return keys.seal(keys.unseal(sealed, context), context);
  } catch {
    return undefined;
  }
}

function rowName({ columns }: SealedRow): string {
  const { token_hash: _hash, ...named } = columns;
  return Object.values(named).join(' ');
}

async function countLeft(store: Store, keys: KeyRing): Promise<ResealReport['left']> {
  const left: ResealReport['left'] = {};
  for (const column of SEALED_COLUMN_LIST) {
    const counts: Record<string, number> = {};
    for await (const page of sealedPages(store, column)) {
      for (const { keyID } of page) if (keyID !== keys.sealingID) counts[keyID] = (counts[keyID] ?? 0) + 1;
    }
    if (Object.keys(counts).length > 0) left[`${column.table}.${column.column}`] = counts;
  }
  return left;
}

/** Bodies cannot be authenticated anew, because they are not stored; an idempotency key is valid for 24 hours (contract 4.8). */
async function countIdempotencyKeys(store: Store, keys: KeyRing): Promise<ResealReport['idempotencyKeys']> {
  const row = await store.row<{ count: number; until: Date | null }>(
    `SELECT COUNT(*) AS count, MAX(created_at) + INTERVAL 24 HOUR AS until FROM idempotency_key
      WHERE created_at > UTC_TIMESTAMP(3) - INTERVAL 24 HOUR AND NOT (key_id <=> ?)`,
    [keys.sealingID],
  );
  return { count: row?.count ?? 0, until: row?.until ?? null };
}
