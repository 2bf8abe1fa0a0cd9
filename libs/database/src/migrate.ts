import { DatabaseSettings, readSettings } from '@batuta/config';
import type { DataSource } from 'typeorm';
import { pendingMigrations } from './await-schema';
import { openDataSource } from './data-source';

/** A statement may rebuild a large table. */
const STATEMENT_MS = 3_600_000;
const LOCK_SECONDS = 120;
/** Shorter than the silence after which servers and firewalls close a connection. */
const LOCK_CHECK_MS = 30_000;

/**
 * Applies the pending migrations and returns their names. Concurrent calls are safe: a lock makes the second wait, and one that
 * does not get the lock within two minutes throws. A migration that was interrupted anywhere runs again from its beginning.
 */
export async function migrate(url: string, { lockSeconds = LOCK_SECONDS } = {}): Promise<string[]> {
  // Most starts find nothing to do, and TypeORM takes longer to load than to see that.
  if ((await pendingMigrations(url)).length === 0) return [];
  const { source } = await openDataSource({ url, pool: 2, statementMs: STATEMENT_MS });
  try {
    const lock = `${source.driver.database ?? 'batuta'}.migrate`.slice(-64);
    return await underLock(source, { lock, lockSeconds }, async () => {
      const applied = await source.runMigrations({ transaction: 'none' });
      return applied.map((migration) => migration.name);
    });
  } finally {
    await source.destroy();
  }
}

/** The server commits DDL at once, so that two concurrent runs would collide without this lock. It ends with its connection. */
async function underLock<T>(
  source: DataSource,
  { lock, lockSeconds }: { lock: string; lockSeconds: number },
  work: () => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  const ask = async (sql: string, parameters: unknown[]): Promise<boolean> => {
    const rows: { yes: unknown }[] = await runner.query(sql, parameters);
    return Number(rows[0]?.yes) === 1;
  };
  try {
    if (!(await ask('SELECT GET_LOCK(?, ?) AS yes', [lock, lockSeconds])))
      throw new Error(`The lock "${lock}" was not granted within ${lockSeconds} s; another migration runs. Try again.`);
    // Keeps the connection, and with it the lock, through a long statement of the other connection.
    const keepAlive = setInterval(() => void ask('SELECT 1 AS yes', []).catch(() => undefined), LOCK_CHECK_MS);
    try {
      const result = await work();
      if (await ask('SELECT RELEASE_LOCK(?) AS yes', [lock])) return result;
      throw new Error(`The lock "${lock}" was lost during the migration. Run it again.`);
    } finally {
      clearInterval(keepAlive);
    }
  } finally {
    await runner.release();
  }
}

if (require.main === module) {
  const { DATABASE_URL } = readSettings(DatabaseSettings, process.env);
  migrate(DATABASE_URL).then(
    (names) => console.log(names.length === 0 ? 'The schema is up to date.' : `Applied ${names.join(', ')}.`),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
