import type { InstanceResponse } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { isTooDeep } from '@batuta/matrix';
import type { Answer } from './validate-answer';

interface AnswerRow {
  instance_id: string;
  valid: number;
  code: number | null;
  body: string | null;
}

/** Ids of the instances that have answered. */
export async function findAnswered(tx: Store, instanceIDs: string[]): Promise<Set<string>> {
  if (instanceIDs.length === 0) return new Set();
  const rows = await tx.rows<{ instance_id: string }>(
    'SELECT instance_id FROM instance_answer WHERE instance_id IN (?)',
    [instanceIDs],
  );
  return new Set(rows.map((row) => row.instance_id));
}

/** Is written with the commit. */
export function writeAnswer(tx: Store, instanceID: string, answer: Answer): void {
  tx.atCommit(
    `INSERT INTO instance_answer (instance_id, valid, code, body, recorded_at) VALUES (?, ?, ?, ?, UTC_TIMESTAMP(3))`,
    [instanceID, answer.valid, answer.valid ? answer.code : null, answer.valid ? answer.body : null],
  );
}

/** The answers by instance id; instances without an answer are missing. */
export async function answersOf(store: Store, instanceIDs: string[]): Promise<Map<string, Answer>> {
  if (instanceIDs.length === 0) return new Map();
  const rows = await store.rows<AnswerRow>(
    'SELECT instance_id, valid, code, body FROM instance_answer WHERE instance_id IN (?)',
    [instanceIDs],
  );
  return new Map(rows.map((row) => [row.instance_id, toAnswer(row)]));
}

/** The answer as the owner reads it with the instance; undefined when there is no valid one. */
export async function responseOf(store: Store, instanceID: string): Promise<InstanceResponse | undefined> {
  const answer = (await answersOf(store, [instanceID])).get(instanceID);
  if (!answer?.valid) return undefined;
  const body: unknown = JSON.parse(answer.body);
  return { code: answer.code, body: isTooDeep(body) ? answer.body : body };
}

function toAnswer({ valid, code, body }: AnswerRow): Answer {
  return valid === 1 && code !== null && body !== null ? { valid: true, code, body } : { valid: false };
}
