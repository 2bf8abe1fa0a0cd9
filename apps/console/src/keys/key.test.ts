import { hashSecret } from '@batuta/auth';
import type { Store } from '@batuta/database';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { UNKNOWN_ID, addProcess, addShareHolder } from '../../test/processes';
import { createWorld, listOf, requireText, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

test('only the answer that creates a key holds its value', async () => {
  const ana = await world.addPerson();
  const path = `/processes/${await addProcess(ana)}/keys`;
  const created = await ana.call('POST', path, { identifier: ' ERP ' });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({ id: expect.any(String), value: expect.stringMatching(/^bpk_[\w-]{43}$/) });
  expect(await ana.must('GET', path)).toEqual({
    keys: [{ id: created.body.id, identifier: 'ERP', createdAt: expect.any(String), expiresAt: null, revokedAt: null }],
  });
  const row = await world.store.row<{ secret_hash: Buffer }>('SELECT * FROM process_key WHERE key_id = ?', [
    created.body.id,
  ]);
  expect(row?.secret_hash).toEqual(hashSecret(requireText(created.body.value)));
});

test.each<[string, unknown]>([
  ['identifier: is required', {}],
  ['identifier: is empty', { identifier: ' ' }],
  ['identifier: is longer than 120 characters', { identifier: 'x'.repeat(121) }],
  ['expiresAt: is in the past', { identifier: 'a', expiresAt: '2020-01-01T00:00:00Z' }],
  ['expiresAt: is not a time in ISO 8601, such as 2030-01-31T00:00:00Z', { identifier: 'a', expiresAt: 'tomorrow' }],
  ['expiresAt: is not in the years 0000 to 9999 of UTC', { identifier: 'a', expiresAt: '9999-12-31T23:59:59-03:00' }],
  ['processID: is not a known field', { identifier: 'a', processID: UNKNOWN_ID }],
])('a process key is refused with: %s', async (message, body) => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  expect(await ana.refusal('POST', `/processes/${pid}/keys`, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('a key is revoked by the owner or with the permission `api`, and revoking it again keeps the first time', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  const path = `/keys/${requireText((await ana.must('POST', `/processes/${pid}/keys`, { identifier: 'a' })).id)}`;
  const bia = await addShareHolder(world, ana, pid, { api: true });
  const carl = await addShareHolder(world, ana, pid, { edit: true });
  const stranger = await world.addPerson();
  const revokedAt = async () => listOf(await bia.must('GET', `/processes/${pid}/keys`), 'keys')[0]?.revokedAt;
  expect(await stranger.refusal('DELETE', path)).toEqual(await stranger.refusal('DELETE', `/keys/${UNKNOWN_ID}`));
  expect(await carl.refusal('DELETE', path)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await revokedAt()).toBeNull();
  expect(await bia.must('DELETE', path)).toEqual({ ok: true });
  const first = await revokedAt();
  expect(first).toEqual(expect.any(String));
  await ana.must('DELETE', path);
  expect(await revokedAt()).toBe(first);
});

test('a creation of a key deletes the oldest unusable key only after it has locked the process', async () => {
  const ana = await world.addPerson();
  const pid = await addProcess(ana);
  // One more than the number of unusable keys that a company keeps.
  await world.store.write(
    `INSERT INTO process_key (key_id, process_id, identifier, secret_hash, created_at, revoked_at)
     SELECT UUID(), ?, 'Old', UNHEX(SHA2(UUID(), 256)), UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) FROM seq_1_to_10001`,
    [pid],
  );
  const unusableKeys = 'SELECT key_id FROM process_key WHERE process_id = ? AND revoked_at IS NOT NULL';
  const lockKeys = (tx: Store) => tx.rows(`${unusableKeys} FOR UPDATE SKIP LOCKED`, [pid]);
  let unlocked: unknown[] = [];
  const created = await callDuringChange(
    world.store,
    (tx) => tx.row('SELECT 1 FROM process WHERE process_id = ? FOR UPDATE', [pid]),
    () => ana.call('POST', `/processes/${pid}/keys`, { identifier: 'New' }),
    {
      meanwhile: async (tx) => {
        unlocked = await lockKeys(tx);
      },
    },
  );
  expect([created.status, unlocked.length]).toEqual([201, 10_001]);
  expect(await world.store.rows(unusableKeys, [pid])).toHaveLength(10_000);
});
