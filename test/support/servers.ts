import { randomBytes, randomInt } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import * as s from './shape';
import { startMariadb, startNats, type ServerHandle, type ServerOptions } from '../../scripts/lib/servers.cjs';
import { waitUntil } from './wait-until';

export interface TestDatabase {
  /** `mysql://user:password@127.0.0.1:port/name`; the database is empty at first. */
  url: string;
  drop(): Promise<void>;
}

/** A private server that the test may kill and restart at the same address. */
export interface TestServer {
  /** The URL with user and password; for MariaDB also with the name of an empty database. */
  readonly url: string;
  readonly port: number;
  /** Kills the server (SIGKILL); its data stay. */
  kill(): Promise<void>;
  /** Starts the killed server again, with its data, at the same address; throws when another program has taken the port. */
  startAgain(): Promise<void>;
  /**
   * Pauses the process of the server (SIGSTOP): it keeps its connections but does not answer. Resolves when all its threads are paused.
   */
  pause(): Promise<void>;
  /** Lets a paused server go on (SIGCONT). */
  resume(): void;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/** The JSON of BATUTA_TEST_MARIADB. */
const sharedMariadbShape = s.object({ host: s.text(), port: s.number, user: s.text(), password: s.text() });

/** The JSON of BATUTA_TEST_NATS. `dir` is the folder of the server's files; `user` is the beginning of the names of its `users` separate users. */
const sharedNatsShape = s.object({
  dir: s.text(),
  host: s.text(),
  port: s.number,
  user: s.text(),
  password: s.text(),
  users: s.number,
});

/** Creates an empty database in the MariaDB that jest's global set-up started for this run; a database of this name that exists is kept as it is. */
export async function createTestDatabase(name = `test_${randomBytes(8).toString('hex')}`): Promise<TestDatabase> {
  const { host, port, user, password } = sharedMariadb();
  await runOnSharedMariadb([`CREATE DATABASE IF NOT EXISTS ${name}`]);
  return {
    url: `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
    drop: async () => {
      await runOnSharedMariadb([`DROP DATABASE IF EXISTS ${name}`]);
    },
  };
}

export type TestNats = TestServer;

/**
 * The address of the NATS that jest's global set-up started for this run, with one of its users that no other test has taken; it
 * receives no messages of other users. Throws when all are taken.
 */
export async function takeNatsUser(): Promise<string> {
  const address = process.env['BATUTA_TEST_NATS'];
  if (!address) throw new Error('BATUTA_TEST_NATS is not set: jest sets it, see test/support/start-servers.cjs');
  const { dir, host, port, user, password, users } = sharedNatsShape.parse(JSON.parse(address));
  for (let number = randomInt(1, users + 1), tries = 0; tries < users; number = (number % users) + 1, tries += 1) {
    // Only one of the processes of this run succeeds in creating the folder.
    const isOurs = await mkdir(join(dir, `user-${number}`)).then(
      () => true,
      () => false,
    );
    if (isOurs) return `nats://${user}${number}:${encodeURIComponent(password)}@${host}:${port}`;
  }
  throw new Error(`all ${users} users of NATS are taken; increase NATS_USERS in test/support/start-servers.cjs`);
}

/** Starts a private NATS server; without `port` and `password` on a free port with a random password. */
export function startTestNats(wanted: { port?: number; password?: string } = {}): Promise<TestNats> {
  return startTestServer(
    (options) => startNats({ ...wanted, ...options }),
    ({ url }) => url,
  );
}

/** Starts a private MariaDB, for tests that stop the database under running services. */
export function startTestMariadb(
  wanted: { certificate?: { key: string; cert: string }; binaryLog?: boolean } = {},
): Promise<TestServer> {
  return startTestServer(
    (options) => startMariadb({ ...wanted, ...options, database: 'batuta' }),
    (mariadb) => mariadb.databaseUrl('batuta'),
  );
}

async function startTestServer<Handle extends ServerHandle>(
  start: (options?: ServerOptions) => Promise<Handle>,
  urlOf: (handle: Handle) => string,
): Promise<TestServer> {
  let handle = await start();
  const { dir, password, port } = handle;
  return {
    url: urlOf(handle),
    port,
    async pause() {
      handle.signal('SIGSTOP');
      await waitUntil('every thread has stopped', () => hasStopped(handle.pid));
    },
    resume: () => handle.signal('SIGCONT'),
    stop: () => handle.stop(),
    async kill() {
      handle.signal('SIGKILL');
      await handle.end();
    },
    async startAgain() {
      handle = await start({ dir, password, port, throwAway: true });
      if (handle.port !== port) throw new Error(`port ${port} was taken by another program`);
    },
  };
}

/** Whether all threads are paused; a busy thread runs on for a moment after SIGSTOP. Without /proc it returns true. */
async function hasStopped(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
  // The state follows the name, which is in parentheses and may contain parentheses.
  return states.every((text) => text.slice(text.lastIndexOf(')') + 2).startsWith('T'));
}

function sharedMariadb() {
  const address = process.env['BATUTA_TEST_MARIADB'];
  if (!address) throw new Error('BATUTA_TEST_MARIADB is not set: jest sets it, see test/support/start-servers.cjs');
  return sharedMariadbShape.parse(JSON.parse(address));
}

/** Runs the statements in one message, and returns the rows of each as texts. */
export async function runOnSharedMariadb(statements: readonly string[]): Promise<string[][][]> {
  const connection = await createConnection({ ...sharedMariadb(), multipleStatements: true, rowsAsArray: true });
  try {
    // The driver returns a list of results only for several statements, so there is always a second one.
    const [results] = await connection.query([...statements, 'DO 0'].join(';\n'));
    return Array.isArray(results)
      ? results.map((rows: unknown) => (Array.isArray(rows) ? rows.map(textsOfRow) : []))
      : [];
  } finally {
    await connection.end();
  }
}

function textsOfRow(row: unknown): string[] {
  return Array.isArray(row) ? row.map(String) : [];
}
