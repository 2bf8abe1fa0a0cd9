import { retry } from '@batuta/async';
import type { QueryRunner } from 'typeorm';
import { isContention } from '../store';

const PAUSE_MS = 3_000;

/**
 * Adds a column unless the table has it. Every statement of a migration is repeatable, because the server commits DDL at once
 * and a migration that was interrupted runs again from its beginning; MySQL has no `ADD COLUMN IF NOT EXISTS`.
 */
export async function addColumn(runner: QueryRunner, table: string, column: string, definition: string): Promise<void> {
  const found = await rowExists(
    runner,
    'SELECT 1 FROM information_schema.columns WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?',
    [table, column],
  );
  if (!found) await alter(runner, table, `ADD COLUMN ${column} ${definition}`);
}

/** Adds an index, `columns` with its parentheses, unless the table has one of this name. */
export async function addIndex(runner: QueryRunner, table: string, index: string, columns: string): Promise<void> {
  const found = await rowExists(
    runner,
    'SELECT 1 FROM information_schema.statistics WHERE table_schema = DATABASE() AND table_name = ? AND index_name = ?',
    [table, index],
  );
  if (!found) await alter(runner, table, `ADD INDEX ${index} ${columns}`);
}

/**
 * The connection waits two seconds for a table, and all later statements on the table wait behind it. While a long read has the table, such as a
 * backup, an attempt therefore ends, and the services go on until the next one.
 */
async function alter(runner: QueryRunner, table: string, change: string): Promise<void> {
  await retry(() => runner.query(`ALTER TABLE ${table} ${change}`), {
    pauseAfter: (error) => (isContention(error) ? PAUSE_MS : undefined),
  });
}

async function rowExists(runner: QueryRunner, sql: string, parameters: string[]): Promise<boolean> {
  const rows: unknown[] = await runner.query(`${sql} LIMIT 1`, parameters);
  return rows.length > 0;
}
