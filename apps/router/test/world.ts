import { mintSecret } from '@batuta/auth';
import { notifications } from '@batuta/contracts';
import { migrate, openStore, type Store } from '@batuta/database';
import type { Rpc } from '@batuta/messaging';
import { v7 as uuid } from 'uuid';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser, startTestMariadb, startTestNats, type TestServer } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { createRouter, type RunningRouter } from '../src/app';
import { readRouterConfig, type RouterConfig } from '../src/config';
import { startFakeExecution } from './fake-execution';
import type { FakeInstances } from './fake-instances';

export interface TestEnvironment {
  environmentID: string;
  /** The activation key. */
  key: string;
}

export interface SessionRow {
  /** 1 = the session was closed. */
  closed: number;
  /** 1 = the lease has not expired, also of a closed session. */
  alive: number;
  router_id: string;
}

/** Time limits that no test reaches, however slow the machine is; a test of a time limit sets its own. */
const NO_TIMEOUTS: Partial<RouterConfig> = {
  LEASE_SECONDS: 3_600,
  OFFER_SECONDS: 60,
  HELLO_SECONDS: 60,
  FRAME_SECONDS: 60,
};

/** For tests: routers with a database, NATS and a fake execution of their own. */
export class RouterWorld {
  private readonly routers: RunningRouter[] = [];

  private constructor(
    readonly store: Store,
    readonly fake: FakeInstances,
    private readonly rpc: Rpc,
    private readonly serviceURL: string,
    private readonly natsURL: string,
    private readonly release: () => Promise<void>,
    private readonly own: { mariadb: TestServer; nats: TestServer } | undefined,
  ) {}

  /** With `ownServers` the database server and NATS are not shared, so that a test may stop them. */
  static async create({ ownServers = false } = {}): Promise<RouterWorld> {
    extendCallTimeLimits();
    const own = ownServers ? { mariadb: await startTestMariadb(), nats: await startTestNats() } : undefined;
    const database = own ? { url: own.mariadb.url, drop: () => own.mariadb.stop() } : await createMigratedDatabase();
    if (own) await migrate(own.mariadb.url);
    const natsURL = own?.nats.url ?? (await takeNatsUser());
    const store = await openStore({ url: database.url, pool: 3, statementMs: LONG_STATEMENT_MS });
    const serviceURL = await serviceUserUrl(database.url, 'router');
    const execution = await startFakeExecution(natsURL);
    const release = async () => {
      await execution.stop();
      await store.close();
      await database.drop();
      await own?.nats.stop();
    };
    return new RouterWorld(store, execution.fake, execution.rpc, serviceURL, natsURL, release, own);
  }

  get servers(): { mariadb: TestServer; nats: TestServer } {
    if (!this.own) throw new Error('The servers are shared');
    return this.own;
  }

  async startRouter(over: Partial<RouterConfig> = {}): Promise<RunningRouter> {
    const env = { DATABASE_URL: this.serviceURL, NATS_URL: this.natsURL, LOG_LEVEL: 'silent', DATABASE_POOL: '3' };
    const shortIntervals = { POLL_MS: 100, ENVIRONMENTS_MS: 100 };
    const router = await createRouter({ ...readRouterConfig(env), ...NO_TIMEOUTS, ...shortIntervals, ...over });
    this.routers.push(router);
    return router;
  }

  /** `capacity` = maximum number of instances of each agent. */
  async addEnvironment(capacity = 10, companyID = uuid()): Promise<TestEnvironment> {
    const environmentID = uuid();
    const { value, hash } = mintSecret('bak');
    await this.store.write(
      `INSERT INTO environment (environment_id, account_id, company_id, name, os, env_type, offline_flow,
                                cancel_queue_on_exception, capacity, activation_key_hash, created_at)
       VALUES (?, ?, ?, 'Office', 'linux', 'prod', 1, 0, ?, ?, UTC_TIMESTAMP(3))`,
      [environmentID, uuid(), companyID, capacity, hash],
    );
    return { environmentID, key: value };
  }

  notifyChanged(environmentID: string): void {
    this.rpc.notify(notifications.environmentChanged, { environmentID });
  }

  async findSession(sessionID: string): Promise<SessionRow | undefined> {
    return this.store.row<SessionRow>(
      `SELECT closed_at IS NOT NULL AS closed, lease_until > UTC_TIMESTAMP(3) AS alive, router_id
         FROM agent_session WHERE session_id = ?`,
      [sessionID],
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.routers.map((router) => router.close()));
    await this.release();
  }
}
