import type { AuthenticatedCaller, ProcessAccess } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { ACCESS_COLUMNS, toAccess, toAuthenticatedCaller, type AccessRow } from './access-row';

/** Asks for the caller of a credential and, if `reach` names a process, for what the caller may do with it. */
export interface AccessQuestion {
  credentialID: string;
  reach?: ReachedProcess;
}

/** A process, and the SHA-256 of the process key in the request. */
export interface ReachedProcess {
  processID: string;
  keyHash: Buffer;
}

export interface AccessAnswer {
  caller: AuthenticatedCaller;
  /** Undefined when the question names no process or the process does not exist. */
  access: ProcessAccess | undefined;
}

/**
 * Reads credential → account → company → plan, and the process with key and share, in one query for all questions. Returns an
 * answer for each question in their order; undefined = the credential does not exist. Expiry is by the database's clock.
 */
export async function accessAnswers(
  store: Store,
  questions: readonly AccessQuestion[],
): Promise<(AccessAnswer | undefined)[]> {
  const byEqualityKey = new Map(questions.map((question) => [equalityKeyOf(question), question]));
  const distinct = [...byEqualityKey.values()];
  const rows = await store.rows<AccessRow>(...queryOf(distinct));
  const answers = new Map<AccessQuestion | undefined, AccessAnswer>();
  for (const row of rows) {
    const question = distinct[row.question];
    answers.set(question, { caller: toAuthenticatedCaller(row), access: toAccess(row, question?.reach?.keyHash) });
  }
  return questions.map((question) => answers.get(byEqualityKey.get(equalityKeyOf(question))));
}

/** A key of the question that is equal for equal questions. */
function equalityKeyOf({ credentialID, reach }: AccessQuestion): string {
  return reach ? `${credentialID} ${reach.processID} ${reach.keyHash.toString('latin1')}` : credentialID;
}

/**
 * The joins of one question; the arguments are in the order of the query's parameters. The key of another process is not
 * joined: it is no key of this one.
 */
const joinsFor = (processID: string, keyHash: string, credentialID: string) => `
  JOIN account a ON a.account_id = c.account_id
  LEFT JOIN company co ON co.company_id = a.company_id
  LEFT JOIN plan ON plan.plan_id = co.plan_id
  LEFT JOIN process p ON p.process_id = ${processID}
  LEFT JOIN process_key k ON k.process_id = p.process_id AND k.secret_hash = ${keyHash}
  LEFT JOIN process_share s ON s.process_id = p.process_id AND s.account_id = c.account_id
 WHERE c.credential_id = ${credentialID}`;

/**
 * The query for a single question, which is the most frequent case. It has no subquery that lists the questions, and so
 * takes the server a sixth less time.
 */
const SELECT_ONE_ACCESS = `SELECT 0 AS question, ${ACCESS_COLUMNS} FROM credential c ${joinsFor('?', '?', '?')}`;

/** An id that no process has, for questions without a process. NULL would have no character set to compare with the ids. */
const NO_PROCESS = '';

// Casts the ids to the character set of the columns with which they are compared, because otherwise the server could
// not use the indexes.
const SELECT_FIRST_QUESTION = 'SELECT 0 AS question, _ascii ? AS process_id, ? AS key_hash, _ascii ? AS credential_id';
const SELECT_FURTHER_QUESTION = 'SELECT ?, _ascii ?, ?, _ascii ?';

function queryOf(questions: AccessQuestion[]): [sql: string, parameters: unknown[]] {
  const [first = [], ...further] = questions.map(({ credentialID, reach }) => [
    reach?.processID ?? NO_PROCESS,
    reach?.keyHash ?? null,
    credentialID,
  ]);
  if (further.length === 0) return [SELECT_ONE_ACCESS, first];
  const table = [SELECT_FIRST_QUESTION, ...further.map(() => SELECT_FURTHER_QUESTION)].join(' UNION ALL ');
  return [
    `SELECT q.question, ${ACCESS_COLUMNS} FROM (${table}) q JOIN credential c ${joinsFor('q.process_id', 'q.key_hash', 'q.credential_id')}`,
    [...first, ...further.flatMap((values, index) => [index + 1, ...values])],
  ];
}
