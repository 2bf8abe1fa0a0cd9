import type { Store } from '@batuta/database';
import { sealingContexts, type KeyRing } from '@batuta/secrets';
import type { Answer, ValidatedAnswer } from './validate-answer';

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

/** Ids of the instances that have answered, also with an answer that is not valid. */
export async function findAnswered(tx: Store, instanceIDs: string[]): Promise<Set<string>> {
  if (instanceIDs.length === 0) return new Set();
  const rows = await tx.rows<{ instance_id: string }>(
    'SELECT instance_id FROM instance_answer WHERE instance_id IN (?)',
    [instanceIDs],
  );
  return new Set(rows.map((row) => row.instance_id));
}

/** The answer of an instance to its waiting caller. */
export interface InstanceAnswer extends ValidatedAnswer {
  instanceID: string;
  /** The body as people see it later, with secrets masked; '' for an answer that is not valid. */
  shown: string;
}

/**
 * Adds the write of the answers to the commit. Where `shown` differs from the body that the caller gets, the latter is
 * stored sealed, and only for as long as the caller may wait for it (interpretation 48).
 */
export function writeInstanceAnswers(tx: Store, keys: KeyRing, answers: InstanceAnswer[]): void {
  if (answers.length === 0) return;
  const rows = answers.map(({ instanceID, answer, shown }) => {
    const body = answer.valid ? answer.body : null;
    const secret = body !== null && shown !== body ? body : undefined;
    return { instanceID, answer, shown, body, secret };
  });
  tx.atCommit(
    `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at)
     VALUES ${rows.map(() => '(?, ?, ?, ?, UTC_TIMESTAMP(3))').join(', ')}`,
    rows.flatMap(({ instanceID, answer, body, secret }) => [
      instanceID,
      answer.valid,
      answer.valid ? answer.code : null,
      secret === undefined ? body : null,
    ]),
  );
  for (const { instanceID, shown, secret } of rows) {
    if (secret === undefined) continue;
    tx.atCommit(
      `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at) VALUES (?, ?, ?, UTC_TIMESTAMP(3))`,
      [instanceID, shown, keys.seal(secret, sealingContexts.secretAnswer(instanceID))],
    );
  }
}

/**
 * The answers for waiting callers, by instance id; instances without an answer are missing. A valid answer counts as not valid once its
 * sealed body was deleted, and where the body cannot be unsealed.
 */
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

/** The body as text; null when it cannot be unsealed, for example because this service does not have the key. */
function unsealBody(instanceID: string, sealed: Buffer, keys: KeyRing): string | null {
  try {
    return keys.unseal(sealed, sealingContexts.secretAnswer(instanceID));
  } catch {
    return null;
  }
}
