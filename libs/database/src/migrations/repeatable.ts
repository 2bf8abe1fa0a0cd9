import { retry } from '@batuta/async';
import type { QueryRunner } from 'typeorm';
import { databaseErrorCode } from '../driver';
import { isContention } from '../store';

/** Shorter than the services wait for a table by default (DATABASE_STATEMENT_MS). MySQL reads it as a comment, and waits without this limit. */
const WAIT_TWO_SECONDS = '/*M! SET STATEMENT lock_wait_timeout = 2 FOR */';
const PAUSE_MS = 3_000;
const REPORT_INTERVAL_MS = 60_000;
const EXISTS_CODES = ['ER_DUP_FIELDNAME', 'ER_DUP_KEYNAME'];

/**
 * Adds a column unless the table has it. Every statement of a migration is repeatable, because the server commits DDL at once
 * and a migration that was interrupted runs again from its beginning; MySQL has no `ADD COLUMN IF NOT EXISTS`.
 */
export async function addColumn(runner: QueryRunner, table: string, column: string, definition: string): Promise<void> {
  await alterUnless(
    runner,
    'SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
    [table, column],
    `ALTER TABLE ${table} ADD COLUMN ${column} ${definition}`,
  );
}

/** Adds an index, `columns` with its parentheses, unless the table has one of this name. */
export async function addIndex(runner: QueryRunner, table: string, index: string, columns: string): Promise<void> {
  await alterUnless(
    runner,
    'SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?',
    [table, index],
    `ALTER TABLE ${table} ADD INDEX ${index} ${columns}`,
  );
}

/**
 * Changes a table unless the query finds a row. While a change waits for a long read of the table, such as a backup, all later statements on the
 * table wait behind it. An attempt therefore waits two seconds, and the services go on until the next one. The change may also be made
 * meanwhile, by the statement of an earlier run that was killed while the server executed it.
 */
async function alterUnless(runner: QueryRunner, query: string, parameters: string[], change: string): Promise<void> {
  const attempt = async () => {
    if (!(await rowExists(runner, query, parameters))) await runner.query(`${WAIT_TWO_SECONDS} ${change}`);
  };
  const changed = retry(attempt, {
    pauseAfter: (error) => {
      if (EXISTS_CODES.includes(databaseErrorCode(error) ?? '')) return 0;
      return isContention(error) ? PAUSE_MS : undefined;
    },
  });
  await reportUntilEnd(changed, (minutes) =>
    console.log(
      `Not made after ${minutes} min: ${change}. The server works on it, or waits for a long read of the table, such as a dump (SHOW PROCESSLIST).`,
    ),
  );
}

/** Calls `report` each minute until the work ends: without it nothing says what a migration does or waits for. */
export async function reportUntilEnd<T>(work: Promise<T>, report: (minutes: number) => void): Promise<T> {
  let minutes = 0;
  const timer = setInterval(() => {
    minutes += 1;
    report(minutes);
  }, REPORT_INTERVAL_MS);
  try {
    return await work;
  } finally {
    clearInterval(timer);
  }
}

async function rowExists(runner: QueryRunner, sql: string, parameters: string[]): Promise<boolean> {
  const rows: unknown[] = await runner.query(`${sql} LIMIT 1`, parameters);
  return rows.length > 0;
}
