import { matchesHash, parseCredential } from '@batuta/auth';
import { UNKNOWN_ID } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('only the answer that creates a credential holds its value', async () => {
  const ana = await world.addPerson();
  const created = await ana.call('POST', '/credentials', { label: ' ERP ', expiresAt: '2100-01-01T00:00:00-03:00' });
  expect(created.status).toBe(201);
  expect(Object.keys(created.body).toSorted()).toEqual(['id', 'value']);
  const value = requireText(created.body.value);
  const parts = parseCredential(value);
  expect(parts?.credentialID).toBe(created.body.id);
  const list = await ana.must('GET', '/credentials');
  expect(list).toEqual({
    credentials: [
      {
        id: created.body.id,
        label: 'ERP',
        createdAt: expect.any(String),
        expiresAt: '2100-01-01T03:00:00.000Z',
        revokedAt: null,
      },
    ],
  });
  const row = await world.store.row<{ secret_hash: Buffer }>('SELECT * FROM credential WHERE credential_id = ?', [
    created.body.id,
  ]);
  expect(row && parts && matchesHash(parts.secret, row.secret_hash)).toBe(true);
});

test('a credential is revoked by its own account only, and revoking it again keeps the first time', async () => {
  const [ana, bia] = await Promise.all([world.addPerson(), world.addPerson()]);
  const { id } = await ana.must('POST', '/credentials', { label: 'ERP' });
  const path = `/credentials/${requireText(id)}`;
  const revokedAt = async () => listOf(await ana.must('GET', '/credentials'), 'credentials')[0]?.revokedAt;
  expect(await bia.refusal('DELETE', path)).toEqual(await bia.refusal('DELETE', `/credentials/${UNKNOWN_ID}`));
  expect(await revokedAt()).toBeNull();
  expect(await ana.must('DELETE', path)).toEqual({ ok: true });
  const first = await revokedAt();
  expect(first).toEqual(expect.any(String));
  await ana.must('DELETE', path);
  expect(await revokedAt()).toBe(first);
  expect(listOf(await bia.must('GET', '/credentials'), 'credentials')).toEqual([]);
});

test.each<[string, unknown]>([
  ['label: is required', {}],
  ['label: is empty', { label: '' }],
  ['label: is longer than 120 characters', { label: 'x'.repeat(121) }],
  ['expiresAt: is in the past', { label: 'a', expiresAt: '2020-01-01T00:00:00Z' }],
  ['expiresAt: is not a time in ISO 8601, such as 2030-01-31T00:00:00Z', { label: 'a', expiresAt: '2030-01-31' }],
  ['expiresAt: must be a text', { label: 'a', expiresAt: 1 }],
  ['value: is not a known field', { label: 'a', value: 'mine' }],
])('a credential is refused with: %s', async (message, body) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('POST', '/credentials', body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('operators cannot have credentials of the API', async () => {
  expect(await world.operator.refusal('POST', '/credentials', { label: 'a' })).toMatchObject({
    error: '403 FORBIDDEN',
  });
});
