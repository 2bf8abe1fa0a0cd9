import type { AuthenticatedCaller, ProcessAccess } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { ACCESS_COLUMNS, toAccess, toCaller, type AccessRow } from './access-row';

/** The id of a credential and, where a process is named, how it is to be reached. */
export interface AccessQuestion {
  credentialID: string;
  reach?: Reach;
}

/** A process with the SHA-256 of the process key that was sent for it. */
export interface Reach {
  processID: string;
  keyHash: Buffer;
}

export interface AccessAnswer {
  caller: AuthenticatedCaller;
  /** undefined when no process was named, or there is none. */
  access: ProcessAccess | undefined;
}

/**
 * Credential → account → company → plan, and the process with key and share, in one query; equal questions are asked once.
 * An answer for each question in their order, undefined = no such credential. Expiry is by the database's clock.
 */
export async function accessAnswers(
  store: Store,
  questions: readonly AccessQuestion[],
): Promise<(AccessAnswer | undefined)[]> {
  const asked = new Map(questions.map((question) => [textOf(question), question]));
  const distinct = [...asked.values()];
  const rows = await store.rows<AccessRow>(...queryOf(distinct));
  const answers = new Map<AccessQuestion | undefined, AccessAnswer>();
  for (const row of rows) {
    const question = distinct[row.question];
    answers.set(question, { caller: toCaller(row), access: toAccess(row, question?.reach?.keyHash) });
  }
  return questions.map((question) => answers.get(asked.get(textOf(question))));
}

function textOf({ credentialID, reach }: AccessQuestion): string {
  return reach ? `${credentialID} ${reach.processID} ${reach.keyHash.toString('latin1')}` : credentialID;
}

/** In the order of the parameters. A key of another process is not found: to this one it is none. */
const joined = (processID: string, keyHash: string, credentialID: string) => `
  JOIN account a ON a.account_id = c.account_id
  LEFT JOIN company co ON co.company_id = a.company_id
  LEFT JOIN plan ON plan.plan_id = co.plan_id
  LEFT JOIN process p ON p.process_id = ${processID}
  LEFT JOIN process_key k ON k.process_id = p.process_id AND k.secret_hash = ${keyHash}
  LEFT JOIN process_share s ON s.process_id = p.process_id AND s.account_id = c.account_id
 WHERE c.credential_id = ${credentialID}`;

/** A question alone, as most are, goes without the table of questions: the server needs a sixth less for it. */
const ALONE = `SELECT 0 AS question, ${ACCESS_COLUMNS} FROM credential c ${joined('?', '?', '?')}`;

/** Of a question that names no process: a character set cannot be given to NULL. */
const NO_PROCESS = '';

// Ids in the character set of the columns that they are compared with: in another one no index would serve.
const FIRST = 'SELECT 0 AS question, _ascii ? AS process_id, ? AS key_hash, _ascii ? AS credential_id';
const FURTHER = 'SELECT ?, _ascii ?, ?, _ascii ?';

function queryOf(questions: AccessQuestion[]): [sql: string, parameters: unknown[]] {
  const [first = [], ...further] = questions.map(({ credentialID, reach }) => [
    reach?.processID ?? NO_PROCESS,
    reach?.keyHash ?? null,
    credentialID,
  ]);
  if (further.length === 0) return [ALONE, first];
  const table = [FIRST, ...further.map(() => FURTHER)].join(' UNION ALL ');
  return [
    `SELECT q.question, ${ACCESS_COLUMNS} FROM (${table}) q JOIN credential c ${joined('q.process_id', 'q.key_hash', 'q.credential_id')}`,
    [...first, ...further.flatMap((values, index) => [index + 1, ...values])],
  ];
}
