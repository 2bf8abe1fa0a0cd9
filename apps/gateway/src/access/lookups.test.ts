import { hashSecret } from '@batuta/auth';
import { call, createTenant, startWorld, type World } from '../../test/world';
import { AccessLookups } from './lookups';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterAll(() => world?.close());

test('requests of one moment share a query and each gets its own answer', async () => {
  const { registry, store } = world;
  const owners = await Promise.all([createTenant(registry), createTenant(registry)]);
  const [guest, stranger] = [await registry.account(), await registry.account()];
  const secondKey = await registry.key(owners[0].processID, { identifier: 'second' });
  await registry.share(owners[0].processID, guest.accountID, ['execute']);
  await registry.share(owners[1].processID, guest.accountID, ['edit']);
  const rows = jest.spyOn(store, 'rows');
  const lookups = new AccessLookups(store, 60_000);

  const ask = (tenant: number, accountID: string, key: string) =>
    lookups.access({ processID: owners[tenant]?.processID ?? '', accountID, keyHash: hashSecret(key) });
  const answers = await Promise.all([
    ask(0, owners[0].account.accountID, owners[0].key),
    ask(0, guest.accountID, secondKey),
    ask(1, guest.accountID, owners[1].key),
    ask(1, guest.accountID, secondKey),
    ask(0, stranger.accountID, owners[0].key),
    ask(2, guest.accountID, secondKey),
  ]);

  expect(rows).toHaveBeenCalledTimes(1);
  expect(answers.map((answer) => answer && [answer.owned, answer.permissions, answer.key?.identifier])).toEqual([
    [true, undefined, 'erp-key'],
    [false, expect.objectContaining({ execute: true, edit: false }), 'second'],
    [false, expect.objectContaining({ execute: false, edit: true }), 'erp-key'],
    [false, expect.objectContaining({ execute: false, edit: true }), undefined],
    [false, undefined, 'erp-key'],
    undefined,
  ]);
});

test.each([
  ['a revoked credential', 'UPDATE credential SET revoked_at = UTC_TIMESTAMP(3)', 'CREDENTIAL_REVOKED'],
  ['a credential that expires', 'UPDATE credential SET expires_at = UTC_TIMESTAMP(3)', 'CREDENTIAL_EXPIRED'],
  ['a blocked account', 'UPDATE account SET blocked = 1', 'OWNER_INACTIVE'],
  ['a suspended company', 'UPDATE company SET suspended = 1', 'OWNER_INACTIVE'],
  ['a lesser plan', 'UPDATE plan SET api_access = 0', 'PLAN_FEATURE_UNAVAILABLE'],
  ['a revoked key', 'UPDATE process_key SET revoked_at = UTC_TIMESTAMP(3)', 'PROCESS_KEY_REVOKED'],
  ['a key that expires', 'UPDATE process_key SET expires_at = UTC_TIMESTAMP(3)', 'PROCESS_KEY_EXPIRED'],
  ['BLOQUEADO', 'UPDATE process SET api_enabled = 0', 'API_DISABLED'],
  ['a share that ends', 'DELETE FROM process_share', 'FORBIDDEN'],
])('%s acts on the very next request', async (_, sql, code) => {
  const { registry, gateway, store } = world;
  const { processID, key } = await createTenant(registry);
  const guest = await registry.account();
  const { value } = await registry.credential(guest.accountID);
  await registry.share(processID, guest.accountID, ['execute']);
  const start = () => call(gateway.url, 'post', `/v1/processes/${processID}/start`, { credential: value, key });
  expect((await start()).status).toBe(200);
  await store.write(sql);
  expect((await start()).body.error.code).toBe(code);
});
