import { MigrateSettings, readSettings, servicePasswords } from '@batuta/config';
import { endOnSignals } from '@batuta/logging';
import type { DataSource } from 'typeorm';
import { pendingMigrations } from './await-schema';
import { openDataSource } from './data-source';
import { reportUntilEnd } from './migrations/repeatable';
import { underLease, type LeaseOptions } from './migration-lease';
import { createServiceUsers } from './users';

/** Time limit of a statement; long, because it may rebuild a large table. */
const STATEMENT_TIME_LIMIT_MS = 3_600_000;
const MAX_WAIT_SECONDS = 120;
/** One for the migrations, one for the renewals of the lease, and one for the lock of the previous release. */
const CONNECTIONS = 3;

/**
 * Applies the pending migrations and returns their names. Concurrent calls are safe, also at two nodes of a cluster: the second
 * waits for the lease of the first, and throws when it does not get that lease within two minutes. After a run was killed, the next run
 * continues as soon as the lease has expired; the interrupted migration runs again from its beginning.
 */
export async function migrate(
  url: string,
  { waitSeconds = MAX_WAIT_SECONDS, leaseSeconds }: Partial<LeaseOptions> = {},
): Promise<string[]> {
  // Checks without TypeORM first: most starts find nothing to do, and loading TypeORM takes longer than the check.
  if ((await pendingMigrations(url)).length === 0) return [];
  const { source } = await openDataSource({ url, pool: CONNECTIONS, statementMs: STATEMENT_TIME_LIMIT_MS });
  try {
    return await underLease(source, { waitSeconds, leaseSeconds }, () =>
      underLockOfPreviousRelease(source, waitSeconds, async () => {
        const running = source.runMigrations({ transaction: 'none' });
        const applied = await reportUntilEnd(running, (minutes) => void reportNext(url, minutes));
        return applied.map((migration) => migration.name);
      }),
    );
  } finally {
    if (source.isInitialized) await source.destroy();
  }
}

/** Prints the first migration that is not applied yet, so that one that changes many rows is seen to run. Never rejects. */
async function reportNext(url: string, minutes: number): Promise<void> {
  const [next] = await pendingMigrations(url).catch(() => []);
  if (next !== undefined) console.log(`Not applied ${minutes} min after the first migration began: ${next}.`);
}

/**
 * The previous release does not know the lease: its migration takes a named lock (GET_LOCK) of its server instead. The next release
 * drops this function. A lock that ends early with a broken connection does no harm among runs of this release, which the lease keeps
 * apart; only a migration of the previous release could then begin beside this run.
 */
async function underLockOfPreviousRelease<T>(source: DataSource, seconds: number, work: () => Promise<T>): Promise<T> {
  const runner = source.createQueryRunner();
  const lock = `${source.driver.database ?? 'batuta'}.migrate`.slice(-64);
  try {
    const [row]: { granted: unknown }[] = await runner.query('SELECT GET_LOCK(?, ?) AS granted', [lock, seconds]);
    // NULL is an error of the server.
    if (Number(row?.granted) !== 1)
      throw new Error(
        `The lock "${lock}" was not granted within ${seconds} s; a migration of the previous release runs.`,
      );
    const result = await work();
    await runner.query('SELECT RELEASE_LOCK(?)', [lock]).catch(() => undefined);
    return result;
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
  endOnSignals();
  migrateAndCreateUsers(process.env).catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
