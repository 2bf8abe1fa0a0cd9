import { DatabaseSettings, readSettings } from '@batuta/config';
import { openDataSource } from './data-source';

/** Brings the schema up to date; safe to run again, and by two at once: a lock makes the second wait. */
export async function migrate(url: string): Promise<string[]> {
  const source = await openDataSource({ url, pool: 2 });
  const runner = source.createQueryRunner();
  try {
    // MySQL commits DDL at once, so two runs side by side would collide half-way without this lock.
    const lock = `${source.driver.database ?? 'batuta'}.migrate`.slice(-64);
    await runner.query('SELECT GET_LOCK(?, 120)', [lock]);
    try {
      const done = await source.runMigrations({ transaction: 'none' });
      return done.map((migration) => migration.name);
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
