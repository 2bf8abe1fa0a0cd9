import { randomBytes } from 'node:crypto';
import { migrate } from '@batuta/database';
import { periodOf } from '../../../apps/execution/src/credits/period';
import { createTestDatabase, startTestMariadb, startTestNats, type TestServer } from '../../support/servers';
import { waitUntil } from '../../support/wait-until';
import { connected } from './database';

/** What the services stand on: NATS, a migrated database, and the settings that all of them share. */
export interface Ground {
  databaseUrl: string;
  nats: TestServer;
  /** Only with `ownMariadb`. */
  mariadb?: TestServer;
  operator: { email: string; password: string };
  env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/**
 * A machine that stands still for ten seconds must decide nothing: not which agent is given up, and not who gets an answer.
 * What is about the limits themselves sets its own.
 */
export const PATIENCE = {
  LEASE_SECONDS: '60',
  HELLO_SECONDS: '30',
  START_TIMEOUT_MS: '30000',
  READ_TIMEOUT_MS: '30000',
  HEADERS_TIMEOUT_MS: '60000',
  REQUEST_TIMEOUT_MS: '120000',
};

/** Longer than a test looks at credits. */
const STACK_MS = 240_000;

export interface GroundOptions {
  /** A MariaDB for this stack alone, for tests that take it away. Otherwise a database in the one of the run. */
  ownMariadb?: boolean;
  /** Settings of all services on top of the usual ones. */
  env?: Record<string, string>;
}

export async function startGround({ ownMariadb = false, env = {} }: GroundOptions): Promise<Ground> {
  await monthGoesOn();
  const [nats, database] = await Promise.all([startTestNats(), ownMariadb ? ownDatabase() : sharedDatabase()]);
  await connected(() => migrate(database.url));
  const operator = { email: 'operator@test.batuta.local', password: randomBytes(12).toString('base64url') };
  return {
    databaseUrl: database.url,
    nats,
    mariadb: database.mariadb,
    operator,
    env: {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      OPERATOR_EMAIL: operator.email,
      OPERATOR_PASSWORD: operator.password,
      ...PATIENCE,
      ...env,
    },
    stop: async () => {
      await Promise.all([nats.stop(), database.stop()]);
    },
  };
}

/** Credits begin anew with each month: a stack that might see two of them is started in the next. */
async function monthGoesOn(): Promise<void> {
  const staysTheSame = () => periodOf(new Date()) === periodOf(new Date(Date.now() + STACK_MS));
  await waitUntil('the month goes on for a while', staysTheSame, { timeoutMs: STACK_MS + 20_000 });
}

interface Database {
  url: string;
  mariadb?: TestServer;
  stop(): Promise<void>;
}

async function sharedDatabase(): Promise<Database> {
  const database = await createTestDatabase();
  return { url: database.url, stop: () => database.drop() };
}

async function ownDatabase(): Promise<Database> {
  const mariadb = await startTestMariadb();
  return { url: mariadb.url, mariadb, stop: () => mariadb.stop() };
}
