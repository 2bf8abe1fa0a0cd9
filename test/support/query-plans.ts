import { Store, type WriteResult } from '@batuta/database';
import { currentRequestID, newRequestID, withRequestID } from '@batuta/logging';

/** A statement that `recordStatements` has seen. */
export interface Statement {
  sql: string;
  parameters: unknown[];
  /**
   * The largest number of rows that one execution has written; 0 for a query, and for a statement that runs with the commit, whose result
   * is unknown.
   */
  affectedRows: number;
}

/**
 * The distinct statements that every Store of this process runs for `work`, also in the services that it calls, each with the parameters of its
 * first execution. All of them have the request id of `work`; periodic tasks, which may run meanwhile, have ids of their own. Throws when there is
 * none.
 */
export async function recordStatements(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements = new Map<string, Statement>();
  const requestID = newRequestID();
  const spies = (['rows', 'write', 'atCommit'] as const).map((method) => {
    const original = Reflect.get(Store.prototype, method);
    return jest.spyOn(Store.prototype, method).mockImplementation(function recorded(
      this: Store,
      ...[sql, parameters = []]: [sql: string, parameters?: unknown[]]
    ) {
      if (currentRequestID() !== requestID) return Reflect.apply(original, this, [sql, parameters]);
      const statement = statements.get(sql) ?? { sql, parameters, affectedRows: 0 };
      statements.set(sql, statement);
      const result = Reflect.apply(original, this, [sql, parameters]);
      if (method !== 'write') return result;
      return result.then((written: WriteResult) => {
        statement.affectedRows = Math.max(statement.affectedRows, written.affectedRows);
        return written;
      });
    });
  });
  try {
    await withRequestID(requestID, work);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  if (statements.size === 0) throw new Error('The recorded work ran no statement');
  return [...statements.values()];
}

interface PlanRow {
  table: string | null;
  type: string | null;
  key: string | null;
  Extra: string | null;
}

/**
 * The tables that statements read without an index, or whose index they read from end to end: `<table> (<type>): <sql>`. The
 * tables must hold enough rows that the optimizer does not prefer a full scan.
 */
export async function findUnindexedReads(store: Store, statements: Statement[]): Promise<string[]> {
  const found: string[] = [];
  for (const { sql, parameters } of statements.filter(readsRows)) {
    const plan = await store.rows<PlanRow>(`EXPLAIN ${sql}`, parameters);
    for (const { table, type } of plan) {
      const isTable = table !== null && !table.startsWith('<');
      if (isTable && (type === 'ALL' || type === 'index')) found.push(`${table} (${type}): ${sql}`);
    }
  }
  return found;
}

interface AnalyzedRow extends PlanRow {
  /** Rows that this step read, as the mean of its executions: the inner table of a join is read once for each row of the outer one. */
  r_rows: string | number | null;
}

/**
 * The steps of the plans whose executions read more than `most` rows on average, as `<table> (<rows>): <sql>`. The queries are run, because a plan
 * alone does not show how many entries of an index are read, such as all that are newer than the page.
 */
export async function findLargeReads(store: Store, statements: Statement[], most: number): Promise<string[]> {
  const found: string[] = [];
  for (const { sql, parameters } of statements.filter(isQuery)) {
    const steps = await store.rows<AnalyzedRow>(`ANALYZE ${sql}`, parameters);
    for (const { table, r_rows: rows } of steps) if (Number(rows) > most) found.push(`${table} (${rows}): ${sql}`);
  }
  return found;
}

const isQuery = ({ sql }: Statement) => /^[\s(]*SELECT\b/i.test(sql);

const readsRows = ({ sql }: Statement) =>
  /^\s*(SELECT|UPDATE|DELETE)\b/i.test(sql) || /^\s*INSERT.*\bSELECT\b/is.test(sql);
