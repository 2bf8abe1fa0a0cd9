import type { ShareColumns } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';

export interface ShareRow extends ShareColumns {
  email: string;
  /** Name and company of the account; null for an invitation. */
  name: string | null;
  company_id: string | null;
  /** When the share, or the invitation that became it, was made; a change of the permissions leaves it. */
  created_at: Date;
}

/** The last share of the page before. The e-mail address orders shares of the same millisecond. */
interface SharePosition {
  createdAt: Date;
  email: string;
}

/** A cursor: `<time>_<e-mail address>` of the last share of the page before. With `u` the limit counts characters, as that of addresses does. */
export const SHARE_CURSOR_PATTERN =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z)_(\S{1,254})$/u;
export const NOT_A_SHARE_CURSOR_MESSAGE = 'must be the text in `older`';

const PERMISSION_COLUMNS = 'may_execute, may_edit, may_api, may_schedule, may_delete, may_share';
const SHARES = `SELECT a.email, a.name, a.company_id, s.created_at, ${PERMISSION_COLUMNS}
    FROM process_share s JOIN account a ON a.account_id = s.account_id WHERE s.process_id = ?
   UNION ALL
  SELECT email, NULL, NULL, created_at, ${PERMISSION_COLUMNS} FROM share_invitation WHERE process_id = ?`;

/** The shares and invitations of a process together, newest first. Throws BAD_REQUEST for a text that is no cursor. */
export async function readSharePage(
  store: Store,
  processID: string,
  { limit, before }: { limit: number; before?: string },
): Promise<{ rows: ShareRow[]; older?: { before: string } }> {
  const last = before === undefined ? undefined : readCursor(before);
  const found = await store.rows<ShareRow>(
    `SELECT * FROM (${SHARES}) AS shares
      ${last ? 'WHERE created_at < ? OR (created_at = ? AND email < ?)' : ''}
      ORDER BY created_at DESC, email DESC LIMIT ?`,
    [processID, processID, ...(last ? [last.createdAt, last.createdAt, last.email] : []), limit + 1],
  );
  const rows = found.slice(0, limit);
  const end = rows.at(-1);
  return found.length > limit && end ? { rows, older: { before: writeCursor(end) } } : { rows };
}

/** The share or the invitation of an address. */
export function findShare(store: Store, processID: string, email: string): Promise<ShareRow | undefined> {
  return store.row<ShareRow>(`SELECT * FROM (${SHARES}) AS shares WHERE email = ?`, [processID, processID, email]);
}

function readCursor(text: string): SharePosition {
  const [, time, email] = SHARE_CURSOR_PATTERN.exec(text) ?? [];
  if (time === undefined || email === undefined)
    throw new ApiError('BAD_REQUEST', `before: ${NOT_A_SHARE_CURSOR_MESSAGE}`);
  return { createdAt: new Date(time), email };
}

function writeCursor({ created_at: createdAt, email }: ShareRow): string {
  return `${createdAt.toISOString()}_${email}`;
}
