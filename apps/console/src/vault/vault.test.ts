import { lockCompany } from '@batuta/catalog';
import { KeyRing } from '@batuta/secrets';
import { createWorld, listOf, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('a secret is stored sealed for its account and key, and answers contain only its name', async () => {
  const ana = await world.addPerson();
  const value = '-----BEGIN KEY-----\nabc\n  ';
  const put = await ana.call('PUT', '/vault/db.password-1', { value: 'first' });
  expect([put.status, put.body]).toEqual([200, { ok: true }]);
  await ana.must('PUT', '/vault/db.password-1', { value });
  expect(await ana.must('GET', '/vault')).toEqual({ keys: [{ key: 'db.password-1', updatedAt: expect.any(String) }] });
  const row = await world.store.row<{ sealed: Buffer }>('SELECT sealed FROM vault_secret WHERE account_id = ?', [
    ana.id,
  ]);
  const sealed = row?.sealed ?? Buffer.alloc(0);
  expect(sealed.includes('BEGIN KEY')).toBe(false);
  expect(new KeyRing(world.config.SECRET_KEYS).unseal(sealed, `vault:${ana.id}:db.password-1`)).toBe(value);
});

test('vault keys are case-sensitive and belong to one account', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  await ana.must('PUT', '/vault/token', { value: 'a' });
  await ana.must('PUT', '/vault/TOKEN', { value: 'b' });
  expect(listOf(await ana.must('GET', '/vault'), 'keys')).toHaveLength(2);
  expect(await bia.must('GET', '/vault')).toEqual({ keys: [] });
  expect(await bia.refusal('DELETE', '/vault/token')).toMatchObject({ error: '404 NOT_FOUND' });
  expect(await ana.must('DELETE', '/vault/token')).toEqual({ ok: true });
  expect(listOf(await ana.must('GET', '/vault'), 'keys')).toMatchObject([{ key: 'TOKEN' }]);
});

test.each<[string, string, unknown]>([
  ['key: must be 1 to 80 letters, digits, underscores, dots or dashes', 'a%20b', { value: 'x' }],
  ['key: must be 1 to 80 letters, digits, underscores, dots or dashes', 'x'.repeat(81), { value: 'x' }],
  ['value: is required', 'a', {}],
  ['value: is empty', 'a', { value: '' }],
  ['value: is longer than 10000 characters', 'a', { value: 'x'.repeat(10_001) }],
  ['value: must be a text', 'a', { value: 4711 }],
  ['value: is not Unicode text', 'a', { value: 'a\ud800' }],
  ['note: is not a known field', 'a', { value: 'x', note: 'y' }],
])('a vault secret is refused with: %s; the refusal does not repeat the value', async (message, key, body) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('PUT', `/vault/${key}`, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('the values of a vault have at most 512 KB together; a vault that has more may shrink', async () => {
  const ana = await world.addPerson();
  const rows = [240_000, 276_000].map((bytes, n) => [ana.id, `k${n}`, Buffer.alloc(bytes), new Date()]);
  await world.store.write('INSERT INTO vault_secret (account_id, vault_key, sealed, updated_at) VALUES ?', [rows]);
  const value = 'x'.repeat(10_000);
  const refusal = {
    error: '409 CONFLICT',
    message: 'value: the values of the vault may have 512 KB together; remove or shorten one first',
  };
  expect(await ana.refusal('PUT', '/vault/k2', { value })).toEqual(refusal);
  expect(await ana.must('PUT', '/vault/k3', { value: 'x' })).toEqual({ ok: true });
  expect(await ana.refusal('PUT', '/vault/k3', { value })).toEqual(refusal);
  await world.store.write('UPDATE vault_secret SET sealed = ? WHERE account_id = ? AND vault_key = ?', [
    Buffer.alloc(480_000),
    ana.id,
    'k1',
  ]);
  expect(await ana.must('PUT', '/vault/k1', { value })).toEqual({ ok: true });
  expect(await ana.must('PUT', '/vault/k2', { value })).toEqual({ ok: true });
});

test('a vault holds at most 500 keys, whose values may still change', async () => {
  const ana = await world.addPerson();
  const rows = Array.from({ length: 500 }, (_, n) => [ana.id, `k${n}`, Buffer.from('x'), new Date()]);
  await world.store.write('INSERT INTO vault_secret (account_id, vault_key, sealed, updated_at) VALUES ?', [rows]);
  expect(await ana.refusal('PUT', '/vault/k500', { value: 'x' })).toMatchObject({ error: '409 CONFLICT' });
  expect(await ana.must('PUT', '/vault/k499', { value: 'x' })).toEqual({ ok: true });
});

test('writes of a company that wait for a lock hold back no write of another company', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  let flood: Promise<unknown>[] = [];
  await world.store.transaction(async (tx) => {
    await lockCompany(tx, ana.companyID);
    flood = Array.from({ length: 20 }, (_, n) => ana.must('PUT', `/vault/k${n}`, { value: 'x' }));
    expect(await bia.must('PUT', '/vault/token', { value: 'x' })).toEqual({ ok: true });
  });
  await Promise.all(flood);
});

test('operators cannot have a vault', async () => {
  expect(await world.operator.refusal('GET', '/vault')).toMatchObject({ error: '403 FORBIDDEN' });
});
