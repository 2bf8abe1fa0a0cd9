import type { DataSource, MigrationInterface } from 'typeorm';
import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
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
  await source.destroy();
  await database.drop();
});

class Interrupted extends Error {}

/** Runs a migration until `statements` have been executed. True when it ended before that. */
async function endsWithin(migration: MigrationInterface, statements: number): Promise<boolean> {
  const runner = source.createQueryRunner();
  const query = runner.query.bind(runner);
  let executed = 0;
  jest.spyOn(runner, 'query').mockImplementation(async (sql, parameters) => {
    const result: unknown = await query(sql, parameters);
    executed += 1;
    if (executed === statements) throw new Interrupted(sql);
    return result;
  });
  try {
    await migration.up(runner);
    return true;
  } catch (error) {
    if (error instanceof Interrupted) return false;
    throw error;
  } finally {
    await runner.release();
  }
}

/** The statements that create the tables, by name, without the table of the migrations. */
async function schemaOf(from: DataSource): Promise<Record<string, string>> {
  const tables: Record<string, string>[] = await from.query('SHOW TABLES');
  const schema: Record<string, string> = {};
  for (const table of tables.flatMap((row) => Object.values(row)).filter((name) => name !== 'schema_migration')) {
    const [created] = await from.query(`SHOW CREATE TABLE ${table}`);
    schema[table] = String(created['Create Table']).replace(/ AUTO_INCREMENT=\d+/, '');
  }
  return schema;
}

test('a migration that was interrupted after any of its statements runs again to the same schema', async () => {
  const whole = await createTestDatabase();
  await migrate(whole.url);
  for (const Migration of MIGRATIONS) {
    const migration = new Migration();
    for (let statements = 1; !(await endsWithin(migration, statements)); statements += 1);
  }
  const { source: expected } = await openDataSource({ url: whole.url, pool: 1 });
  expect(await schemaOf(source)).toEqual(await schemaOf(expected));
  await expected.destroy();
  await whole.drop();
});

test('migrations that were applied without a record are applied again without a change', async () => {
  await migrate(database.url);
  const before = await schemaOf(source);
  await source.query('DELETE FROM schema_migration');
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length);
  expect(await schemaOf(source)).toEqual(before);
});

test('a migration whose lock is not granted changes nothing and says so', async () => {
  const other = await openStore({ url: database.url, pool: 1 });
  const lock = `${new URL(database.url).pathname.slice(1)}.migrate`;
  await other.transaction(async (tx) => {
    await tx.rows('SELECT GET_LOCK(?, 0)', [lock]);
    await expect(migrate(database.url, { lockSeconds: 0 })).rejects.toThrow(/lock .* was not granted/);
    await tx.rows('SELECT RELEASE_LOCK(?)', [lock]);
  });
  expect(await source.query('SHOW TABLES')).toEqual([]);
  expect(await migrate(database.url)).toHaveLength(MIGRATIONS.length);
  await other.close();
});
