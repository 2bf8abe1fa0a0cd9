import { DatabaseSettings, readSettings } from '@batuta/config';
import { openDataSource } from './data-source';

/** Applies the pending migrations and returns their names. Concurrent calls are safe: a lock makes the second wait. */
export async function migrate(url: string): Promise<string[]> {
  const source = await openDataSource({ url, pool: 2 });
  const runner = source.createQueryRunner();
  try {
    // The server commits DDL at once, so that two concurrent runs would collide without this lock.
    const lock = `${source.driver.database ?? 'batuta'}.migrate`.slice(-64);
    await runner.query('SELECT GET_LOCK(?, 120)', [lock]);
    try {
      const applied = await source.runMigrations({ transaction: 'none' });
      return applied.map((migration) => migration.name);
    } finally {
      await runner.query('SELECT RELEASE_LOCK(?)', [lock]);
    }
  } finally {
    await runner.release();
    await source.destroy();
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
