import { randomBytes } from 'node:crypto';
import { DATABASE_SERVICES } from '@batuta/database';
import { creditPeriodOf } from '../../../../apps/execution/src/credits/credit-period';
import { createCurrentSchema } from '../../../support/migrated-database';
import { createTestDatabase, startTestMariadb, startTestNats, type TestServer } from '../../../support/servers';
import { createTestUsers } from '../../../support/service-users';
import { waitUntil } from '../../../support/wait-until';
import { retryConnection } from './database';

/** The servers below the services: NATS and a migrated database, with the settings that all services share. */
export interface TestServers {
  /** The URL of the migrated database, of a user with all rights; the services get users of their own in `env`. */
  databaseUrl: string;
  nats: TestServer;
  /** The MariaDB of this stack alone; only with the option `ownMariadb`. */
  mariadb?: TestServer;
  operator: { email: string; password: string };
  /** The settings of all services, as environment variables. */
  env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/**
 * Time limits long enough that a pause of the machine of ten seconds loses no agent and no answer. Tests of a time limit set their
 * own.
 */
export const LONG_TIME_LIMIT_SETTINGS = {
  LEASE_SECONDS: '60',
  HELLO_SECONDS: '30',
  FRAME_SECONDS: '60',
  START_TIMEOUT_MS: '30000',
  READ_TIMEOUT_MS: '30000',
  HEADERS_TIMEOUT_MS: '60000',
  REQUEST_TIMEOUT_MS: '120000',
};

/** Minimum rest of the month when the servers start: more than the time of a test file that checks credits. */
const MIN_REST_OF_MONTH_MS = 240_000;

export interface ServersOptions {
  /** Start a MariaDB for this stack alone, for tests that stop it. Otherwise the stack gets a database in the shared MariaDB. */
  ownMariadb?: boolean;
  /** Whether the MariaDB of `ownMariadb` writes a binary log. */
  binaryLog?: boolean;
  /** The URL of an empty database that the test has started, with all rights; `stop` leaves it. */
  databaseUrl?: string;
  /** Settings of all services that override the usual ones. */
  env?: Record<string, string>;
}

export async function startTestServers({ env = {}, ...options }: ServersOptions): Promise<TestServers> {
  await untilMonthLastsLongEnough();
  const [nats, database] = await Promise.all([startTestNats(), openDatabase(options)]);
  await retryConnection(() => createCurrentSchema(database.url));
  const users = await retryConnection(() => createTestUsers(database.url, DATABASE_SERVICES));
  const operator = { email: 'operator@test.batuta.local', password: randomBytes(12).toString('base64url') };
  return {
    databaseUrl: database.url,
    nats,
    mariadb: database.mariadb,
    operator,
    env: {
      HOST: '127.0.0.1',
      LOG_LEVEL: 'warn',
      // In one process each service reads the setting with its name in front.
      ...Object.fromEntries(DATABASE_SERVICES.map((name) => [`${name.toUpperCase()}_DATABASE_URL`, users[name]])),
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      SECRET_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      OPERATOR_EMAIL: operator.email,
      OPERATOR_PASSWORD: operator.password,
      // So high that a test, which calls as often as it can, does not reach it.
      CALLS_PER_MINUTE: '1000000',
      ...LONG_TIME_LIMIT_SETTINGS,
      ...env,
    },
    stop: async () => {
      await Promise.all([nats.stop(), database.stop()]);
    },
  };
}

/** Near the end of a month, waits for the next one: credits are renewed each month, and a test must see only one month. */
async function untilMonthLastsLongEnough(): Promise<void> {
  const isLongEnough = () => creditPeriodOf(new Date()) === creditPeriodOf(new Date(Date.now() + MIN_REST_OF_MONTH_MS));
  await waitUntil('the month lasts as long as the test', isLongEnough, { timeoutMs: MIN_REST_OF_MONTH_MS + 20_000 });
}

interface Database {
  url: string;
  mariadb?: TestServer;
  stop(): Promise<void>;
}

function openDatabase({ ownMariadb = false, binaryLog, databaseUrl }: ServersOptions): Promise<Database> {
  if (databaseUrl !== undefined) return Promise.resolve({ url: databaseUrl, stop: () => Promise.resolve() });
  return ownMariadb ? startOwnDatabase({ binaryLog }) : openSharedDatabase();
}

async function openSharedDatabase(): Promise<Database> {
  const database = await createTestDatabase();
  return { url: database.url, stop: () => database.drop() };
}

async function startOwnDatabase(options: Pick<ServersOptions, 'binaryLog'>): Promise<Database> {
  const mariadb = await startTestMariadb(options);
  return { url: mariadb.url, mariadb, stop: () => mariadb.stop() };
}
