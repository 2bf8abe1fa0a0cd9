import { openStore, type Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { KeyRing } from '@batuta/secrets';
import { extendCallTimeLimits, LONG_STATEMENT_MS } from '../../../test/support/long-time-limits';
import { createMigratedDatabase } from '../../../test/support/migrated-database';
import { takeNatsUser } from '../../../test/support/servers';
import { serviceUserUrl } from '../../../test/support/service-users';
import { createWebhook } from '../src/app';
import { readWebhookConfig } from '../src/config';
import { startFakeExecution, type FakeExecution } from './fake-execution';

export const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

export interface WebhookWorld {
  store: Store;
  rpc: Rpc;
  keys: KeyRing;
  execution: FakeExecution;
  /** The address of health and metrics of the first replica. */
  metricsURL: string;
  /** Stops the replicas; database and NATS keep running. */
  stopServices(): Promise<void>;
  close(): Promise<void>;
}

interface WorldOptions {
  replicas?: number;
  /** Added to the settings that every test needs. */
  settings?: NodeJS.ProcessEnv;
}

/** Starts replicas of the webhook service with their own database and user of NATS, and a fake execution service. */
export async function startWorld({ replicas = 1, settings = {} }: WorldOptions = {}): Promise<WebhookWorld> {
  extendCallTimeLimits();
  const [database, natsURL] = await Promise.all([createMigratedDatabase(), takeNatsUser()]);
  const { app, fake } = await startFakeExecution(natsURL);
  const config = readWebhookConfig({
    DATABASE_URL: await serviceUserUrl(database.url, 'webhook'),
    NATS_URL: natsURL,
    LOG_LEVEL: 'silent',
    SECRET_KEYS,
    SWEEP_MS: '200',
    ...settings,
  });
  const services = await Promise.all(Array.from({ length: replicas }, () => createWebhook(config)));
  const metricsURL = services[0]?.url ?? '';
  const stopServices = async () => {
    await Promise.all(services.splice(0).map((service) => service.close()));
  };
  const store = await openStore({ url: database.url, pool: 5, statementMs: LONG_STATEMENT_MS });
  const rpc = await Rpc.connect(natsURL, 'test');
  return {
    store,
    rpc,
    keys: new KeyRing(SECRET_KEYS),
    execution: fake,
    metricsURL,
    stopServices,
    close: async () => {
      await rpc.close();
      await stopServices();
      await app.close();
      await store.close();
      await database.drop();
    },
  };
}
