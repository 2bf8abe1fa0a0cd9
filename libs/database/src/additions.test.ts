import type { DataSource } from 'typeorm';
import { previousRelease } from '../../../package.json';
import { createTestDatabase, type TestDatabase } from '../../../test/support/servers';
import { openDataSource } from './data-source';
import { MIGRATIONS } from './migrations';

// During an upgrade the previous release runs on the schema of this one, so its statements must still work: later migrations only add.

interface Column {
  name: string;
  type: string;
  nullable: string;
  fallback: string | null;
  extra: string;
}

/** Columns by `table.column`, and the unique indexes and foreign keys by `table.name`. */
interface Schema {
  columns: Map<string, Column>;
  constraints: Set<string>;
}

const COLUMNS_SQL = `SELECT CONCAT(table_name, '.', column_name) AS name, column_type AS type, is_nullable AS nullable,
                            column_default AS fallback, extra FROM information_schema.columns
                      WHERE table_schema = DATABASE() AND table_name <> 'schema_migration'`;
const CONSTRAINTS_SQL = `SELECT CONCAT(table_name, '.', constraint_name) AS name FROM information_schema.table_constraints
                          WHERE table_schema = DATABASE() AND table_name <> 'schema_migration'`;

let database: TestDatabase;
let source: DataSource;
let before: Schema;
/** The migrations that the previous release does not have. */
const added = MIGRATIONS.slice(
  1 + MIGRATIONS.findIndex((Migration) => new Migration().name === previousRelease.migration),
);

beforeEach(async () => {
  database = await createTestDatabase();
  ({ source } = await openDataSource({ url: database.url, pool: 1, statementMs: 60_000 }));
  await run(MIGRATIONS.slice(0, MIGRATIONS.length - added.length));
  before = await readSchema();
});
afterEach(async () => {
  await source.destroy();
  await database.drop();
});

async function run(migrations: readonly (typeof MIGRATIONS)[number][]): Promise<void> {
  const runner = source.createQueryRunner();
  for (const Migration of migrations) await new Migration().up(runner);
  await runner.release();
}

async function readSchema(): Promise<Schema> {
  const columns: Column[] = await source.query(COLUMNS_SQL);
  const constraints: { name: string }[] = await source.query(CONSTRAINTS_SQL);
  return {
    columns: new Map(columns.map((column) => [column.name, column])),
    constraints: new Set(constraints.map(({ name }) => name)),
  };
}

const tableOf = (name: string) => name.split('.')[0];

/** The differences of the new schema that would break a statement which was written for the old one. */
function breaches({ columns: old, constraints }: Schema, now: Schema): string[] {
  const oldTables = new Set([...old.keys()].map(tableOf));
  const isOfOldTable = (name: string) => oldTables.has(tableOf(name));
  const changed = [...old.values()].filter((column) => {
    const present = now.columns.get(column.name);
    return JSON.stringify(present) !== JSON.stringify(column);
  });
  const demanding = [...now.columns.values()].filter(
    ({ name, nullable, fallback, extra }) =>
      !old.has(name) && isOfOldTable(name) && nullable === 'NO' && fallback === null && !extra.includes('GENERATED'),
  );
  const addedConstraints = [...now.constraints].filter((name) => isOfOldTable(name) && !constraints.has(name));
  return [
    ...changed.map(({ name }) => `changed ${name}`),
    ...demanding.map(({ name }) => `demands ${name}`),
    ...addedConstraints.map((name) => `restricts ${name}`),
  ];
}

test('the migrations since the previous release add tables, indexes and columns that it need not write, and change nothing of it', async () => {
  expect(added.length).toBeGreaterThan(0);
  expect(added.length).toBeLessThan(MIGRATIONS.length);
  await run(added);
  expect(breaches(before, await readSchema())).toEqual([]);
});

test.each([
  ['a dropped column', 'ALTER TABLE plan DROP COLUMN name', ['changed plan.name']],
  [
    'a dropped table',
    'DROP TABLE instance_input',
    ['changed instance_input.instance_id', 'changed instance_input.sealed'],
  ],
  ['a renamed column', 'ALTER TABLE plan CHANGE name title varchar(120) NULL', ['changed plan.name']],
  ['a narrowed column', 'ALTER TABLE instance MODIFY version smallint NOT NULL', ['changed instance.version']],
  ['a column without a default', 'ALTER TABLE instance ADD COLUMN must int NOT NULL', ['demands instance.must']],
  ['a unique index', 'ALTER TABLE instance ADD UNIQUE KEY one (process_id)', ['restricts instance.one']],
])('%s on a table of the previous release is a breach', async (_, statement, found) => {
  await source.query(statement);
  expect(breaches(before, await readSchema()).toSorted()).toEqual(found);
});

test('a new table, an index and a column with a default are no breach', async () => {
  await source.query('CREATE TABLE more (id int NOT NULL PRIMARY KEY)');
  await source.query('ALTER TABLE instance ADD COLUMN more int NOT NULL DEFAULT 0, ADD KEY more (more)');
  await source.query('ALTER TABLE plan ADD COLUMN more varchar(3) NULL');
  expect(breaches(before, await readSchema())).toEqual([]);
});
