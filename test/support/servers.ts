import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { z } from 'zod';
import { startNats } from '../../scripts/lib/servers.cjs';

export interface TestDatabase {
  /** `mysql://user:password@127.0.0.1:port/name`, an empty schema */
  url: string;
  drop(): Promise<void>;
}

export interface TestNats {
  /** `nats://user:password@127.0.0.1:port` */
  url: string;
  port: number;
  stop(): Promise<void>;
  /** The server stops answering but keeps its connections, as one that hangs would. */
  pause(): void;
  resume(): void;
}

const serverSchema = z.object({ host: z.string(), port: z.number(), user: z.string(), password: z.string() });

/** A new, empty database in the MariaDB that jest's global set-up started for this run. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = testMariadb();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await runOnServer(`CREATE DATABASE ${name}`);
  return {
    url: `mysql://${server.user}:${encodeURIComponent(server.password)}@${server.host}:${server.port}/${name}`,
    drop: () => runOnServer(`DROP DATABASE IF EXISTS ${name}`),
  };
}

/** A NATS server of the caller's own, on a free port, with a random password. `port` asks for one, as after a restart. */
export async function startTestNats(options: { port?: number; password?: string } = {}): Promise<TestNats> {
  const nats = await startNats(options);
  return {
    url: nats.url,
    port: nats.port,
    stop: () => nats.stop(),
    pause: () => nats.signal('SIGSTOP'),
    resume: () => nats.signal('SIGCONT'),
  };
}

function testMariadb() {
  const address = process.env.BATUTA_TEST_MARIADB;
  if (!address) throw new Error('BATUTA_TEST_MARIADB is not set: run the tests with `npm run test:unit` or jest');
  return serverSchema.parse(JSON.parse(address));
}

async function runOnServer(sql: string): Promise<void> {
  const connection = await createConnection(testMariadb());
  try {
    await connection.query(sql);
  } finally {
    await connection.end();
  }
}
