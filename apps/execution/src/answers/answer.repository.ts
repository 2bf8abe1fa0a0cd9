import type { Store } from '@batuta/database';
import { sealingContexts, type KeyRing } from '@batuta/secrets';
import type { Answer } from './validate-answer';

interface AnswerRow {
  instance_id: string;
  valid: number;
  code: number | null;
  body: string | null;
  sealed: Buffer | null;
}

const SELECT_ANSWERS = `SELECT a.instance_id, a.valid, a.code, a.body, s.sealed FROM instance_answer a
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
 * Adds the write of an answer to the commit. `shown` is the body that is stored and shown. If it differs from the real
 * body, the real one is stored sealed, only for as long as a caller may wait for it (interpretation 48).
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
    [instanceID, shown, keys.seal(body, sealingContexts.secretAnswer(instanceID))],
  );
}

/** The answers for waiting callers, by instance id; instances without an answer are missing. */
export async function answersOf(store: Store, keys: KeyRing, instanceIDs: string[]): Promise<Map<string, Answer>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<AnswerRow>(SELECT_ANSWERS, [instanceIDs]);
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
    return keys.unseal(sealed, sealingContexts.secretAnswer(instanceID));
  } catch {
    return null;
  }
}
