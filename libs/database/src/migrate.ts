import { MigrateSettings, readSettings, servicePasswords } from '@batuta/config';
import type { DataSource } from 'typeorm';
import { pendingMigrations } from './await-schema';
import { openDataSource } from './data-source';
import { createServiceUsers } from './users';

/** Time limit of a statement; long, because it may rebuild a large table. */
const STATEMENT_TIME_LIMIT_MS = 3_600_000;
const LOCK_WAIT_SECONDS = 120;
/** Interval of the statements that keep the lock's connection alive: shorter than the silence after which firewalls close it. */
const LOCK_KEEP_ALIVE_INTERVAL_MS = 30_000;

/**
 * Applies the pending migrations and returns their names. Concurrent calls are safe: a lock makes the second wait, and one that
 * does not get the lock within two minutes throws. A migration that was interrupted anywhere runs again from its beginning.
 */
export async function migrate(url: string, { lockSeconds = LOCK_WAIT_SECONDS } = {}): Promise<string[]> {
  // Checks without TypeORM first: most starts find nothing to do, and loading TypeORM takes longer than the check.
  if ((await pendingMigrations(url)).length === 0) return [];
  const { source } = await openDataSource({ url, pool: 2, statementMs: STATEMENT_TIME_LIMIT_MS });
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

/**
 * The server commits DDL at once, so that two concurrent runs would collide without this lock. The lock ends with its
 * connection: if that is lost during the work, a second run may begin, which is safe because each statement of a
 * migration is repeatable and changes no row twice, and the run that lost the lock fails. GET_LOCK is 0 after the wait
 * and NULL after an error; both are failures.
 */
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
    const keepAlive = setInterval(
      () => void ask('SELECT 1 AS yes', []).catch(() => undefined),
      LOCK_KEEP_ALIVE_INTERVAL_MS,
    );
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

/** Migrates the schema, then creates the database users of the services, whose rights need the tables. */
async function migrateAndCreateUsers(env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(MigrateSettings, env);
  const passwords = servicePasswords(settings);
  const names = await migrate(settings.DATABASE_URL);
  console.log(names.length === 0 ? 'The schema is up to date.' : `Applied ${names.join(', ')}.`);
  if (!passwords) return;
  await createServiceUsers(settings.DATABASE_URL, { prefix: settings.DATABASE_USER_PREFIX, passwords });
  console.log('The users of the services have their passwords and rights.');
}

if (require.main === module) {
  migrateAndCreateUsers(process.env).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
