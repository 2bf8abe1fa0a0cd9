import type { Store } from '@batuta/database';
import type { KeyRing } from '@batuta/secrets';
import type { Answer } from './validate-answer';

interface AnswerRow {
  instance_id: string;
  valid: number;
  code: number | null;
  body: string | null;
  sealed: Buffer | null;
}

const ANSWERS = `SELECT a.instance_id, a.valid, a.code, a.body, s.sealed FROM instance_answer a
    LEFT JOIN instance_secret_answer s ON s.instance_id = a.instance_id
   WHERE a.instance_id IN (?)`;

/** Ids of the instances that have answered. */
export async function findAnswered(tx: Store, instanceIDs: string[]): Promise<Set<string>> {
  if (instanceIDs.length === 0) return new Set();
  const rows = await tx.rows<{ instance_id: string }>(
    'SELECT instance_id FROM instance_answer WHERE instance_id IN (?)',
    [instanceIDs],
  );
  return new Set(rows.map((row) => row.instance_id));
}

/**
 * Is written with the commit. `shown` = the body of a valid answer as it is kept and shown. If it differs from the body, the
 * body is kept sealed, only for as long as a caller may wait for it (interpretation 48).
 */
export function writeAnswer(tx: Store, keys: KeyRing, instanceID: string, answer: Answer, shown: string): void {
  const body = answer.valid ? answer.body : null;
  const isSecret = body !== null && shown !== body;
  tx.atCommit(
    `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [instanceID, answer.valid, answer.valid ? answer.code : null, isSecret ? null : body],
  );
  if (!isSecret) return;
  tx.atCommit(
    `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))`,
    [instanceID, shown, keys.seal(body, contextOf(instanceID))],
  );
}

/** The answers for their waiting callers, by instance id; instances without an answer are missing. */
export async function answersOf(store: Store, keys: KeyRing, instanceIDs: string[]): Promise<Map<string, Answer>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<AnswerRow>(ANSWERS, [instanceIDs]);
  return new Map(rows.map((row) => [row.instance_id, toAnswer(row, keys)]));
}

function toAnswer(row: AnswerRow, keys: KeyRing): Answer {
  const { valid, code } = row;
  const body = row.sealed ? unsealBody(row.instance_id, row.sealed, keys) : row.body;
  return valid === 1 && code !== null && body !== null ? { valid: true, code, body } : { valid: false };
}

/** The body as text; null when it was sealed under a key that this service does not have. */
function unsealBody(instanceID: string, sealed: Buffer, keys: KeyRing): string | null {
  try {
    return keys.unseal(sealed, contextOf(instanceID));
  } catch {
    return null;
  }
}

/** The sealing context, which binds the sealed bytes to their instance. */
function contextOf(instanceID: string): string {
  return `answer:${instanceID}`;
}
