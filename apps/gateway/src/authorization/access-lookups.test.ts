import { hashSecret } from '@batuta/auth';
import type { AccessQuestion } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { callGateway, createTenant, startWorld, type TestTenant, type GatewayWorld } from '../../test/world';
import { AccessLookups } from './access-lookups';

let world: GatewayWorld;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.close());

describe('statements', () => {
  let tenants: TestTenant[];
  let rows: jest.SpyInstance<Promise<unknown[]>>;

  beforeAll(async () => {
    tenants = await Promise.all(Array.from({ length: 3 }, () => createTenant(world.registry)));
  });
  beforeEach(() => {
    rows = jest.spyOn(Store.prototype, 'rows');
  });
  afterEach(() => rows.mockRestore());
  // The periodic statements of the gateway use its own Store and are not counted.
  const byTest = () => rows.mock.contexts.filter((store) => store === world.store).length;

  const questionOf = ({ credential, processID, key }: TestTenant): AccessQuestion => ({
    credentialID: credential.credentialID,
    reach: { processID, keyHash: hashSecret(key) },
  });

  test('a start causes one statement, also after other starts', async () => {
    for (const { credential, processID, key } of tenants) {
      rows.mockClear();
      const path = `/v1/processes/${processID}/start`;
      await callGateway(world.gateway.url, 'post', path, { credential: credential.value, key, body: {} }).expect(200);
      expect(rows).toHaveBeenCalledTimes(1);
    }
  });

  test('all starts of one turn of the event loop cause one statement, and those of the next turn one more', async () => {
    const lookups = new AccessLookups(world.store, { READ_TIMEOUT_MS: 60_000 });
    const questions = [...tenants, ...tenants].map(questionOf);
    const askAll = () => Promise.all(questions.map((question) => lookups.findAccess(question)));
    for (const statements of [1, 2]) {
      const answers = await askAll();
      expect(answers.map((answer) => answer?.access?.processID)).toEqual(
        questions.map(({ reach }) => reach?.processID),
      );
      expect(byTest()).toBe(statements);
    }
  });

  test('more than fifty questions cause two statements', async () => {
    const lookups = new AccessLookups(world.store, { READ_TIMEOUT_MS: 60_000 });
    await Promise.all(Array.from({ length: 51 }, () => lookups.findAccess({ credentialID: uuid() })));
    expect(byTest()).toBe(2);
  });

  test('a request that names its process in the body causes two statements', async () => {
    const { credential, processID, key } = await createTenant(world.registry);
    const body = { processID, name: 'Nightly', cronExpression: '0 3 * * *' };
    await callGateway(world.gateway.url, 'post', '/v1/schedules', { credential: credential.value, key, body }).expect(
      201,
    );
    expect(rows).toHaveBeenCalledTimes(2);
  });
});

test.each([
  ['a revoked credential', 'UPDATE credential SET revoked_at = UTC_TIMESTAMP(3)', 'CREDENTIAL_REVOKED'],
  ['a credential that expires', 'UPDATE credential SET expires_at = UTC_TIMESTAMP(3)', 'CREDENTIAL_EXPIRED'],
  ['a blocked account', 'UPDATE account SET blocked = 1', 'OWNER_INACTIVE'],
  ['a suspended company', 'UPDATE company SET suspended = 1', 'OWNER_INACTIVE'],
  ['a plan that loses API access', 'UPDATE plan SET api_access = 0', 'PLAN_FEATURE_UNAVAILABLE'],
  ['a revoked key', 'UPDATE process_key SET revoked_at = UTC_TIMESTAMP(3)', 'PROCESS_KEY_REVOKED'],
  ['a key that expires', 'UPDATE process_key SET expires_at = UTC_TIMESTAMP(3)', 'PROCESS_KEY_EXPIRED'],
  ['a process that becomes BLOQUEADO', 'UPDATE process SET api_enabled = 0', 'API_DISABLED'],
  ['a share that ends', 'DELETE FROM process_share', 'FORBIDDEN'],
])('%s takes effect with the very next request', async (_, sql, code) => {
  const { registry, gateway, store } = world;
  const { processID, key } = await createTenant(registry);
  const guest = await registry.addAccount();
  const { value } = await registry.addCredential(guest.accountID);
  await registry.addShare(processID, guest.accountID, ['execute']);
  const start = () => callGateway(gateway.url, 'post', `/v1/processes/${processID}/start`, { credential: value, key });
  expect((await start()).status).toBe(200);
  await store.write(sql);
  expect((await start()).body.error.code).toBe(code);
});
