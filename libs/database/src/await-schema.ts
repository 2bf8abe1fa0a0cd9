import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseSettings, readSettings } from '@batuta/config';
import { openDataSource } from './data-source';
import { MIGRATIONS } from './migrations';
import { databaseErrorCode } from './store';

interface Waiting {
  timeoutMilliseconds?: number;
  everyMilliseconds?: number;
}

/** Names of the migrations that this build knows and the database lacks, in order. Writes nothing. */
export async function pendingMigrations(url: string): Promise<string[]> {
  const source = await openDataSource({ url, pool: 1 });
  try {
    const rows = await source.query<{ name: string }[]>('SELECT name FROM schema_migration').catch(noneIfNoTable);
    const applied = new Set(rows.map(({ name }) => name));
    return MIGRATIONS.map((Migration) => new Migration().name).filter((name) => !applied.has(name));
  } finally {
    await source.destroy();
  }
}

/**
 * Resolves once the schema holds every migration of this build; throws what is missing, or why the database does not
 * answer, when that takes longer. It keeps a new release's services waiting for the release's own migration step.
 */
export async function awaitSchema(
  url: string,
  { timeoutMilliseconds = 300_000, everyMilliseconds = 2_000 }: Waiting = {},
): Promise<void> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const missing = await pendingMigrations(url).catch((error: unknown) => asError(error));
    if (Array.isArray(missing) && missing.length === 0) return;
    if (Date.now() >= deadline) {
      throw missing instanceof Error ? missing : new Error(`The schema lacks ${missing.join(', ')}.`);
    }
    await pause(everyMilliseconds);
  }
}

function noneIfNoTable(error: unknown): [] {
  if (databaseErrorCode(error) === 'ER_NO_SUCH_TABLE') return [];
  throw error;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

if (require.main === module) {
  const { DATABASE_URL } = readSettings(DatabaseSettings, process.env);
  awaitSchema(DATABASE_URL).then(
    () => console.log('The schema is up to date.'),
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
