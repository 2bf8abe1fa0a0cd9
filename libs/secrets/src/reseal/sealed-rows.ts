import type { Store } from '@batuta/database';
import { KeyRing } from '../key-ring';
import type { SealedColumn } from './sealed-columns';

/** Rows of one page; few enough that the database finds them quickly, whatever the size of their values. */
const PAGE_ROWS = 500;
/** The length byte of a key id and the longest id. */
const HEAD_BYTES = 33;

/** Where a sealed value is stored, by which key and how large it is, without the value itself. */
export interface SealedRow {
  /** Values of the primary key, in the order of `SealedColumn.key`. */
  key: unknown[];
  columns: Record<string, string>;
  /** The id of the key that sealed it. */
  keyID: string;
  bytes: number;
}

type PageRow = Record<string, unknown> & { sealed_head: Buffer | null; sealed_bytes: number | null };

/** Every sealed value of a column, page by page in the order of the primary key; rows without one are left out. */
export async function* sealedPages(store: Store, column: SealedColumn): AsyncGenerator<SealedRow[]> {
  const { table, key, more = [] } = column;
  const select = `SELECT ${[...key, ...more].join(', ')}, LEFT(${column.column}, ${HEAD_BYTES}) AS sealed_head,
                         OCTET_LENGTH(${column.column}) AS sealed_bytes FROM ${table}`;
  for (let last: unknown[] = []; ;) {
    const { sql, parameters } = last.length === 0 ? { sql: '', parameters: [] } : afterKey(key, last);
    const rows = await store.rows<PageRow>(`${select}${sql} ORDER BY ${key.join(', ')} LIMIT ${PAGE_ROWS}`, parameters);
    yield rows.flatMap((row) => toSealedRow(row, column));
    const end = rows.at(-1);
    if (!end || rows.length < PAGE_ROWS) return;
    last = key.map((name) => end[name]);
  }
}

export function whereKey({ key }: SealedColumn): string {
  return key.map((name) => `${name} = ?`).join(' AND ');
}

/** A condition that MariaDB reads from the index, unlike a comparison of tuples: `a > ? OR (a = ? AND b > ?)`. */
function afterKey(key: readonly string[], last: unknown[]): { sql: string; parameters: unknown[] } {
  const parameters: unknown[] = [];
  const terms = key.map((name, index) => {
    parameters.push(...last.slice(0, index + 1));
    return `(${[...key.slice(0, index).map((earlier) => `${earlier} = ?`), `${name} > ?`].join(' AND ')})`;
  });
  return { sql: ` WHERE ${terms.join(' OR ')}`, parameters };
}

function toSealedRow(row: PageRow, { key }: SealedColumn): SealedRow[] {
  const { sealed_head: head, sealed_bytes: bytes, ...columns } = row;
  if (head === null || bytes === null) return [];
  const texts = Object.entries(columns).map(([name, value]): [string, string] => [name, String(value)]);
  return [
    { key: key.map((name) => row[name]), columns: Object.fromEntries(texts), keyID: KeyRing.keyIDOf(head), bytes },
  ];
}
