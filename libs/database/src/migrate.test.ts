import type { DataSource, MigrationInterface, QueryRunner } from 'typeorm';
import { createCurrentSchema } from '../../../test/support/migrated-database';
import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { openDataSource } from './data-source';
import { MIGRATIONS } from './migrations';
import { migrate, openStore } from '.';

let database: TestDatabase;
let source: DataSource;

beforeEach(async () => {
  database = await createTestDatabase();
  ({ source } = await openDataSource({ url: database.url, pool: 2, statementMs: 60_000 }));
});

afterEach(async () => {
  jest.restoreAllMocks();
  await source.destroy();
  await database.drop();
});

class InterruptedError extends Error {}

/** What a run of a migration did: its statements, and whether it was interrupted. */
interface MigrationRun {
  statements: string[];
  interrupted: boolean;
}

/** Runs a migration, which fails after this number of statements. */
async function runMigration(
  migration: MigrationInterface,
  on: DataSource,
  statementsUntilCut = Infinity,
): Promise<MigrationRun> {
  const runner = on.createQueryRunner();
  const query = runner.query.bind(runner);
  const statements: string[] = [];
  jest.spyOn(runner, 'query').mockImplementation(async (sql, parameters) => {
    if (statements.length === statementsUntilCut) throw new InterruptedError(sql);
    statements.push(sql);
    return query(sql, parameters);
  });
  try {
    await migration.up(runner);
    return { statements, interrupted: false };
  } catch (error) {
    if (error instanceof InterruptedError) return { statements, interrupted: true };
    throw error;
  } finally {
    await runner.release();
  }
}

const SCHEMA_QUERIES = {
  tables: `SELECT table_name, engine, table_collation, row_format, create_options FROM information_schema.tables
            WHERE table_schema = DATABASE() AND table_name <> 'schema_migration' ORDER BY 1`,
  columns: `SELECT table_name, ordinal_position, column_name, column_type, is_nullable, column_default, extra, character_set_name,
                   collation_name, generation_expression FROM information_schema.columns
             WHERE table_schema = DATABASE() AND table_name <> 'schema_migration' ORDER BY 1, 2`,
  indexes: `SELECT table_name, index_name, seq_in_index, column_name, non_unique, sub_part, index_type
              FROM information_schema.statistics
             WHERE table_schema = DATABASE() AND table_name <> 'schema_migration' ORDER BY 1, 2, 3`,
  constraints: `SELECT constraint_name, table_name, column_name, referenced_table_name, referenced_column_name
                  FROM information_schema.key_column_usage
                 WHERE table_schema = DATABASE() AND table_name <> 'schema_migration' ORDER BY 1, 2, ordinal_position`,
};

/** The schema as the server describes it, without the table of the migrations. */
async function readSchema(from: DataSource): Promise<Record<string, unknown>> {
  const parts: [string, unknown][] = [];
  for (const [part, sql] of Object.entries(SCHEMA_QUERIES)) parts.push([part, await from.query(sql)]);
  return Object.fromEntries(parts);
}

/** The statements that create the tables, by name. */
async function readTables(from: DataSource): Promise<Map<string, string>> {
  const tables: Record<string, string>[] = await from.query('SHOW TABLES');
  const created = new Map<string, string>();
  for (const table of tables.flatMap((row) => Object.values(row))) {
    const [row] = await from.query(`SHOW CREATE TABLE ${table}`);
    created.set(table, String(row['Create Table']));
  }
  return created;
}

/** Makes the database consist of these tables, without rows. */
async function resetTo(tables: ReadonlyMap<string, string>): Promise<void> {
  const existing = [...(await readTables(source)).keys()];
  if (existing.length > 0) await source.query(`DROP TABLE ${existing.join()}`);
  for (const create of tables.values()) await source.query(create);
}

test('a migration that was interrupted before or after any of its statements runs again to the same schema', async () => {
  const whole = await createTestDatabase();
  const { source: undisturbed } = await openDataSource({ url: whole.url, pool: 1, statementMs: 60_000 });
  for (const Migration of MIGRATIONS) {
    const migration = new Migration();
    const before = await readTables(undisturbed);
    const { statements } = await runMigration(migration, undisturbed);
    // Only the tables that the migration names are copied, because a copy of all takes ten times as long.
    const named = new Map(
      [...before].filter(([table]) => statements.some((sql) => new RegExp(`\\b${table}\\b`).test(sql))),
    );
    await resetTo(named);
    const { statements: all } = await runMigration(migration, source);
    const expected = await readSchema(source);
    // A cut after a statement is the cut before the next statement, and a cut after a read leaves nothing behind, so one cut after
    // each write is enough.
    const cuts = [...all.keys()].filter((cut) => cut === 0 || !/^\s*SELECT/i.test(all[cut - 1] ?? ''));
    for (const cut of cuts) {
      await resetTo(named);
      expect(await runMigration(migration, source, cut)).toEqual({ statements: all.slice(0, cut), interrupted: true });
      expect(await runMigration(migration, source)).toMatchObject({ interrupted: false });
      expect({ cut, ...(await readSchema(source)) }).toEqual({ cut, ...expected });
    }
  }
  await undisturbed.destroy();
  await whole.drop();
});

/** Runs `migrate`, whose connection breaks at this statement; false when there are fewer statements. */
async function migrateWithBreakAt(statement: number): Promise<boolean> {
  let executed = 0;
  const runners: QueryRunner = Object.getPrototypeOf(source.createQueryRunner());
  const query: QueryRunner['query'] = Reflect.get(runners, 'query');
  const spy = jest.spyOn(runners, 'query').mockImplementation(async function (this: QueryRunner, ...args) {
    // `source` sends the statement that kills the connection, and is not counted.
    if (this.dataSource === source) return Reflect.apply(query, this, args);
    executed += 1;
    if (executed === statement) await killConnection(await this.connect());
    return Reflect.apply(query, this, args);
  });
  const failure = await migrate(database.url).then(
    () => undefined,
    (error: unknown) => error,
  );
  spy.mockRestore();
  if (executed < statement && failure !== undefined) throw failure;
  return executed >= statement;
}

async function killConnection({ threadId }: { threadId: number }): Promise<void> {
  await source.query(`KILL ${threadId}`);
}

test('migrations whose connection breaks again and again, also at the lease and at the record, are completed by the next runs', async () => {
  // TypeORM prints each failed migration.
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const whole = await createTestDatabase();
  await migrate(whole.url);
  let broken = 0;
  while (await migrateWithBreakAt(broken + 1)) broken += 1;
  printed.mockRestore();
  expect(broken).toBeGreaterThan(20);
  const { source: expected } = await openDataSource({ url: whole.url, pool: 1 });
  expect(await readSchema(source)).toEqual(await readSchema(expected));
  const names = 'SELECT name FROM schema_migration ORDER BY id';
  expect(await source.query(names)).toEqual(await expected.query(names));
  await expected.destroy();
  await whole.drop();
});

test('one of two runs at once applies every migration, and the other waits and finds nothing to do', async () => {
  const whole = await createTestDatabase();
  await migrate(whole.url);
  const both = await Promise.all([migrate(database.url), migrate(database.url)]);
  expect(both.map(({ length }) => length).toSorted((a, b) => a - b)).toEqual([0, MIGRATIONS.length]);
  const { source: expected } = await openDataSource({ url: whole.url, pool: 1 });
  expect(await readSchema(source)).toEqual(await readSchema(expected));
  expect(await source.query('SELECT name FROM schema_migration')).toHaveLength(MIGRATIONS.length);
  await expected.destroy();
  await whole.drop();
});

test('migrating again changes nothing, also concurrently', async () => {
  await createCurrentSchema(database.url);
  expect(await Promise.all([migrate(database.url), migrate(database.url)])).toEqual([[], []]);
});

test('migrations that were applied without a record are applied again without a change', async () => {
  await migrate(database.url);
  const before = await readSchema(source);
  await source.query('DELETE FROM schema_migration');
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length);
  expect(await readSchema(source)).toEqual(before);
});

const LEASE_TABLE = 'migration_lease';

/** Makes another run own the lease. */
async function giveLease(seconds: number): Promise<void> {
  await source.query(
    `CREATE TABLE IF NOT EXISTS ${LEASE_TABLE} (id tinyint NOT NULL PRIMARY KEY, owner char(36) NOT NULL, expires_at datetime(3) NOT NULL)`,
  );
  await source.query(`REPLACE INTO ${LEASE_TABLE} VALUES (1, 'another', UTC_TIMESTAMP(3) + INTERVAL ? SECOND)`, [
    seconds,
  ]);
}

async function readLease(): Promise<{ owner: string; expiresAt: Date } | undefined> {
  const [row] = await source.query(`SELECT owner, expires_at AS expiresAt FROM ${LEASE_TABLE}`);
  return row;
}

/** Runs `before` once, when a run of `migrate` has applied some migrations and is about to send a statement. */
function interveneOnce(before: (ownSource: DataSource) => Promise<void>): jest.SpyInstance {
  const runners: QueryRunner = Object.getPrototypeOf(source.createQueryRunner());
  const query: QueryRunner['query'] = Reflect.get(runners, 'query');
  let applied = 0;
  return jest.spyOn(runners, 'query').mockImplementation(async function (this: QueryRunner, ...args) {
    if (this.dataSource !== source && /INSERT INTO .*schema_migration/.test(args[0])) {
      applied += 1;
      if (applied === 3) await before(this.dataSource);
    }
    return Reflect.apply(query, this, args);
  });
}

test('a migration whose lease another run owns changes nothing and says so', async () => {
  await giveLease(3_600);
  await expect(migrate(database.url, { waitSeconds: 0 })).rejects.toThrow(/lease was not granted/);
  expect(await source.query('SHOW TABLES')).toHaveLength(1);
  expect((await readLease())?.owner).toBe('another');
});

test('the lease of a run that was killed is taken over after its expiry, and is free after the migration', async () => {
  await giveLease(2);
  const { expiresAt } = (await readLease()) ?? {};
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length);
  const lease = await readLease();
  expect(lease?.owner).toBe('');
  expect(Number(lease?.expiresAt)).toBeGreaterThanOrEqual(Number(expiresAt));
});

test('the lease is renewed during a statement that takes longer than the lease', async () => {
  let refusal: unknown;
  const spy = interveneOnce(async () => {
    const taken = Number((await readLease())?.expiresAt);
    await waitUntil('the first expiry is over', async () => Number((await readLease())?.expiresAt) > taken + 2_000);
    refusal = await migrate(database.url, { waitSeconds: 0 }).catch((error: unknown) => error);
  });
  expect(await migrate(database.url, { leaseSeconds: 1 })).toHaveLength(MIGRATIONS.length);
  spy.mockRestore();
  expect(String(refusal)).toMatch(/lease was not granted/);
});

test('a run whose lease another run has taken sends no further statement and says so', async () => {
  // TypeORM prints the failed migration.
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const spy = interveneOnce(async (ownSource) => {
    await giveLease(1);
    await waitUntil('the run has noticed it', () => !ownSource.isInitialized);
  });
  await expect(migrate(database.url, { leaseSeconds: 1 })).rejects.toThrow(/Another run has taken the lease/);
  spy.mockRestore();
  printed.mockRestore();
  expect(await source.query('SELECT name FROM schema_migration')).toHaveLength(2);
  expect((await readLease())?.owner).toBe('another');
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length - 2);
});

test('each minute the first migration that is not applied yet is printed', async () => {
  const printed = jest.spyOn(console, 'log').mockImplementation(() => {});
  const set = globalThis.setInterval;
  const passMinute: (() => void)[] = [];
  jest.spyOn(globalThis, 'setInterval').mockImplementation((work, delay, ...rest) => {
    if (delay !== 60_000) return set(work, delay, ...rest);
    passMinute.push(() => work(...rest));
    return set(() => {}, delay);
  });
  const reports = () => printed.mock.calls.flat().filter((text) => text.startsWith('Not applied'));
  interveneOnce(async () => {
    for (const pass of passMinute) pass();
    await waitUntil('the report', () => reports().length === 1);
  });
  const names = await migrate(database.url);
  expect(reports()).toEqual([`Not applied 1 min after the first migration began: ${names[2]}.`]);
});

test('a run waits while a migration of the previous release has the lock of that release, and takes the lock itself', async () => {
  const other = await openStore({ url: database.url, pool: 1 });
  const lock = `${new URL(database.url).pathname.slice(1)}.migrate`;
  await other.transaction(async (tx) => {
    await tx.rows('SELECT GET_LOCK(?, 0)', [lock]);
    await expect(migrate(database.url, { waitSeconds: 0 })).rejects.toThrow(/lock .* was not granted/);
    expect(await source.query('SHOW TABLES')).toHaveLength(1);
    await tx.rows('SELECT RELEASE_LOCK(?)', [lock]);
  });
  let isFree: unknown;
  const spy = interveneOnce(async () => {
    [{ isFree }] = await source.query('SELECT IS_FREE_LOCK(?) AS isFree', [lock]);
  });
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length);
  spy.mockRestore();
  expect(Number(isFree)).toBe(0);
  await other.close();
});
