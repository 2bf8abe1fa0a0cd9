import { join } from 'node:path';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { startGalera, type GaleraCluster, type GaleraNode } from '../../../scripts/lib/galera.cjs';
import { waitUntil } from '../../support/wait-until';
import { Program } from '../support/stack/program';

// Two nodes of a Galera cluster, both of which accept writes: a lock of one server would not exclude a migration at the other.

const MIGRATE = join(__dirname, '..', '..', '..', 'dist', 'libs', 'database', 'migrate.js');
/** Time limit of a test. The run after a killed migration waits for the expiry of its lease, and the machine may be busy. */
const TIME_LIMIT_MS = 120_000;

let cluster: GaleraCluster;
let nodes: [GaleraNode, GaleraNode];
const connections: Connection[] = [];
const programs: Program[] = [];

beforeAll(async () => {
  cluster = await startGalera({ nodes: 2 });
  const [first, second] = cluster.nodes;
  if (!first || !second) throw new Error('The cluster lacks a node');
  nodes = [first, second];
});
afterEach(() => Promise.all(programs.splice(0).map((program) => program.stop())));
afterAll(async () => {
  for (const connection of connections) connection.destroy();
  await cluster?.stop();
});

const urlOf = (node: GaleraNode, database: string) =>
  `mysql://${cluster.user}:${cluster.password}@127.0.0.1:${node.port}/${database}`;

/** A new database, and connections to it at both nodes. */
async function createDatabase(name: string): Promise<Connection[]> {
  const [here, there] = await Promise.all(nodes.map((node) => connect(urlOf(node, cluster.database))));
  if (!here || !there) throw new Error('The cluster lacks a node');
  await here.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci`);
  // Waits until the other node has applied the creation; before that nobody can use the database there.
  await there.query('SELECT schema_name FROM information_schema.schemata');
  for (const connection of [here, there]) await connection.query(`USE ${name}`);
  return [here, there];
}

async function connect(uri: string): Promise<Connection> {
  const connection = await createConnection(uri);
  connections.push(connection);
  // A node answers only when it has applied what the other one has committed.
  await connection.query('SET SESSION wsrep_sync_wait = 15');
  return connection;
}

async function startMigration(node: GaleraNode, database: string): Promise<Program> {
  const env = { ...process.env, DATABASE_URL: urlOf(node, database), NODE_ENV: 'production' };
  const program = await Program.start('migrate', env, MIGRATE);
  programs.push(program);
  return program;
}

/** The statements that create the tables, and the recorded migrations; without the lease. */
async function readSchema(connection: Connection): Promise<string[]> {
  const [tables] = await connection.query<RowDataPacket[]>('SHOW TABLES');
  const created: string[] = [];
  for (const table of tables.flatMap((row) => Object.values(row)).filter((name) => name !== 'migration_lease')) {
    const [[row]] = await connection.query<RowDataPacket[]>(`SHOW CREATE TABLE ${String(table)}`);
    created.push(String(row?.['Create Table']).replace(/ AUTO_INCREMENT=\d+/, ''));
  }
  return [...created, ...(await readApplied(connection))];
}

async function readApplied(connection: Connection): Promise<string[]> {
  const [rows] = await connection.query<RowDataPacket[]>('SELECT name FROM schema_migration ORDER BY id');
  return rows.map(({ name }) => String(name));
}

/** The schema that the first test reads, with which the others compare theirs. */
let expected: string[];

test('a migration at one node gives both nodes the schema', async () => {
  const [here, there] = await createDatabase('undisturbed');
  if (!here || !there) throw new Error('The cluster lacks a node');
  const program = await startMigration(nodes[0], 'undisturbed');
  expect(await program.exited).toEqual({ code: 0, signal: null });
  expected = await readSchema(here);
  expect(await readSchema(there)).toEqual(expected);
});

test(
  'of two migrations that begin together at two nodes one applies every migration, and the other waits for it',
  async () => {
    const read = await createDatabase('together');
    const both = await Promise.all(nodes.map((node) => startMigration(node, 'together')));
    for (const program of both) expect(await program.exited).toEqual({ code: 0, signal: null });
    const logs = await Promise.all(both.map((program) => program.log()));
    expect(logs.filter((log) => log.includes('Applied'))).toHaveLength(1);
    expect(logs.filter((log) => log.includes('up to date'))).toHaveLength(1);
    for (const connection of read) expect(await readSchema(connection)).toEqual(expected);
  },
  TIME_LIMIT_MS,
);

test(
  'a migration that was killed in the middle at one node is continued at the other after the expiry of its lease',
  async () => {
    const [here, there] = await createDatabase('killed');
    if (!here || !there) throw new Error('The cluster lacks a node');
    const killed = await startMigration(nodes[0], 'killed');
    await waitUntil('a migration is applied', async () => (await readApplied(here)).length > 0, { everyMs: 5 });
    await killed.kill();
    const applied = await readApplied(there);
    expect(applied.length).toBeGreaterThan(0);
    expect(await killed.log()).not.toContain('Applied');
    const next = await startMigration(nodes[1], 'killed');
    expect(await next.exited).toEqual({ code: 0, signal: null });
    for (const connection of [here, there]) expect(await readSchema(connection)).toEqual(expected);
  },
  TIME_LIMIT_MS,
);
