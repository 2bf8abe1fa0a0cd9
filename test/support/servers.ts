import { randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createConnection } from 'mysql2/promise';
import * as s from './shape';
import { startMariadb, startNats, type ServerHandle, type ServerOptions } from '../../scripts/lib/servers.cjs';
import { waitUntil } from './wait-until';

export interface TestDatabase {
  /** `mysql://user:password@127.0.0.1:port/name`, an empty schema */
  url: string;
  drop(): Promise<void>;
}

/** A server of the test's own, which it may take away and bring back at the same address. */
export interface TestServer {
  /** With user and password; of MariaDB with an empty database. */
  readonly url: string;
  readonly port: number;
  /** Ends it as hard as a power cut would; its data stay. */
  takeAway(): Promise<void>;
  bringBack(): Promise<void>;
  /** It stops answering but keeps its connections, as one that hangs would; resolves once it has stopped. */
  pause(): Promise<void>;
  resume(): void;
  /** For good, with its files. */
  stop(): Promise<void>;
}

const accountSchema = s.object({ host: s.text(), port: s.number, user: s.text(), password: s.text() });

/** A new, empty database in the MariaDB that jest's global set-up started for this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { host, port, user, password } = sharedMariadb();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnSharedMariadb(`CREATE DATABASE ${name}`);
  return {
    url: `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${name}`,
    drop: () => runOnSharedMariadb(`DROP DATABASE IF EXISTS ${name}`),
  };
}

export type TestNats = TestServer;

/** A NATS server of the caller's own, on a free port, with a random password unless they are given. */
export function startTestNats(wanted: { port?: number; password?: string } = {}): Promise<TestNats> {
  return startTestServer(
    (options) => startNats({ ...wanted, ...options }),
    ({ url }) => url,
  );
}

/** A MariaDB of the caller's own, for tests that take the database away from under the services. */
export function startTestMariadb(): Promise<TestServer> {
  return startTestServer(
    (options) => startMariadb({ ...options, database: 'batuta' }),
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
      await waitUntil('every thread stands still', () => standsStill(handle.pid));
    },
    resume: () => handle.signal('SIGCONT'),
    stop: () => handle.stop(),
    async takeAway() {
      handle.signal('SIGKILL');
      await handle.end();
    },
    async bringBack() {
      handle = await start({ dir, password, port, throwAway: true });
      if (handle.port !== port) throw new Error(`port ${port} was taken by someone else in the meantime`);
    },
  };
}

/** A thread that is busy at that moment goes on for a while after the signal. Where there is no /proc nobody can tell. */
async function standsStill(pid: number): Promise<boolean> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')));
  // The state comes behind the name, which is in parentheses and may hold some itself.
  return states.every((text) => text.slice(text.lastIndexOf(')') + 2).startsWith('T'));
}

function sharedMariadb() {
  const address = process.env['BATUTA_TEST_MARIADB'];
  if (!address) throw new Error('BATUTA_TEST_MARIADB is not set: jest sets it, see test/support/start-servers.cjs');
  return accountSchema.parse(JSON.parse(address));
}

async function runOnSharedMariadb(sql: string): Promise<void> {
  const connection = await createConnection(sharedMariadb());
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
