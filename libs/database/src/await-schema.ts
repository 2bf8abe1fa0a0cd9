import { retry } from '@batuta/async';
import { DatabaseSettings, readSettings } from '@batuta/config';
import { endOnSignals } from '@batuta/logging';
import { openStore } from './data-source';
import { MIGRATIONS } from './migrations';
import { asError, databaseErrorCode } from './driver';
import { asService, type DatabaseService } from './rights';
import { missingRights } from './users';

interface SchemaWaitOptions {
  /** Also waits for the rights of this service, which the migration grants right after it has changed the schema. */
  service?: DatabaseService;
  timeoutMs?: number;
  pollMs?: number;
  /** Called with the reason why the schema is awaited: once at the beginning, and again when the reason changes. */
  onWait?: (reason: string) => void;
}

/** The names of this build's migrations that the database lacks, in order. Writes nothing, and does not load TypeORM. */
export function pendingMigrations(url: string): Promise<string[]> {
  return missingMigrationsOrRights(url);
}

/** The pending migrations; when there are none, the rights that the service's user lacks. */
async function missingMigrationsOrRights(url: string, service?: DatabaseService): Promise<string[]> {
  const store = await openStore({ url, pool: 1 }, [], { waitMs: 0 });
  try {
    const rows = await store.rows<{ name: string }>('SELECT name FROM schema_migration').catch(noneIfNoTable);
    const applied = new Set(rows.map(({ name }) => name));
    const pending = MIGRATIONS.map((Migration) => new Migration().name).filter((name) => !applied.has(name));
    return pending.length === 0 && service ? await missingRights(store, service) : pending;
  } finally {
    await store.close();
  }
}

/**
 * Resolves once the schema has every migration of this build and, if `service` is given, the user of that service has its rights. The
 * services of a release thus wait for its migration step. After the time limit it throws an Error that names the missing migrations or
 * rights, or the error of a database that does not answer.
 */
export async function awaitSchema(
  url: string,
  { service, timeoutMs = 300_000, pollMs = 2_000, onWait }: SchemaWaitOptions = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let lastReason: string | undefined;
  await retry(() => requireSchema(url, service), {
    pauseAfter: (error) => {
      if (performance.now() >= deadline) return undefined;
      const reason = asError(error).message;
      if (reason !== lastReason) onWait?.(reason);
      lastReason = reason;
      return pollMs;
    },
  });
}

async function requireSchema(url: string, service?: DatabaseService): Promise<void> {
  const missing = await missingMigrationsOrRights(url, service);
  if (missing.length > 0) throw new Error(`The database lacks ${missing.join(', ')}.`);
}

function noneIfNoTable(error: unknown): [] {
  if (databaseErrorCode(error) === 'ER_NO_SUCH_TABLE') return [];
  throw error;
}

async function main(): Promise<void> {
  const { DATABASE_URL } = readSettings(DatabaseSettings, process.env);
  // The argument names the service whose rights are awaited too; without it only the migrations are awaited.
  const [name] = process.argv.slice(2);
  const service = name === undefined ? undefined : asService(name);
  await awaitSchema(DATABASE_URL, { service, onWait: (reason) => console.error(`The schema is awaited: ${reason}`) });
  console.log('The schema is up to date.');
}

if (require.main === module) {
  endOnSignals();
  main().catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  });
}
