import { openStore, type Store } from '@batuta/database';
import { randomBytes } from 'node:crypto';
import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import type { TestDatabase } from '../../../../test/support/servers';
import { KeyRing, sealingContexts } from '..';
import { reseal } from './reseal';
import { SEALED_COLUMNS } from './sealed-columns';

const ROOT = join(__dirname, '..', '..', '..', '..');
/** Columns with bytes that no key has sealed: hashes, and the parts of pictures. */
const UNSEALED_COLUMNS = [
  'credential.secret_hash',
  'environment.activation_key_hash',
  'evidence_part.content',
  'idempotency_key.body_hash',
  'idempotency_key.key_hash',
  'login_session.token_hash',
  'origin_token.token_hash',
  'process_key.secret_hash',
];

const newKey = () => randomBytes(32).toString('base64');
const [KEY_1, KEY_2] = [newKey(), newKey()];
const oldRing = new KeyRing(`k1:${KEY_1}`);
const bothRing = new KeyRing(`k2:${KEY_2},k1:${KEY_1}`);
const newRing = new KeyRing(`k2:${KEY_2}`);

let database: TestDatabase;
let store: Store;

beforeEach(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 2, pipelined: true });
});

afterEach(async () => {
  await store.close();
  await database.drop();
});

const idOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, '0')}`;
const ACCOUNT = idOf(1);
const ORIGIN = idOf(2);
const tokenHash = Buffer.alloc(32, 7);

/** One value in each column, sealed by the ring. */
async function seedEveryColumn(ring: KeyRing): Promise<void> {
  const seal = (context: string) => ring.seal(`value of ${context}`, context);
  await store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
    ACCOUNT,
    'TOKEN',
    seal(sealingContexts.vaultSecret(ACCOUNT, 'TOKEN')),
  ]);
  await store.write(
    `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, signature, mapping_saved, created_at)
     VALUES (?, ?, 'o', 'Imediata', 1, ?, '[]', UTC_TIMESTAMP(3))`,
    [ORIGIN, ACCOUNT, seal(sealingContexts.originSignature(ORIGIN))],
  );
  await store.write(
    `INSERT INTO origin_token (token_hash, origin_id, kind, sealed, created_at)
     VALUES (?, ?, 'dev', ?, UTC_TIMESTAMP(3)), (?, ?, 'dev', NULL, UTC_TIMESTAMP(3))`,
    [tokenHash, ORIGIN, seal(sealingContexts.originToken(ORIGIN, 'dev')), Buffer.alloc(32, 8), ORIGIN],
  );
  await store.write(
    `INSERT INTO event_subscription (subscription_id, company_id, url, events, sealed_secret, sealed_previous, enabled, created_at)
     VALUES (?, ?, 'https://r.example/', 'error', ?, ?, 1, UTC_TIMESTAMP(3))`,
    [ORIGIN, ACCOUNT, seal(sealingContexts.eventSecret(ORIGIN)), seal(sealingContexts.previousEventSecret(ORIGIN))],
  );
  await seedInputs(ring, [idOf(3)]);
  await store.write('INSERT INTO instance_values (instance_id, sealed) VALUES (?, ?)', [
    idOf(3),
    seal(sealingContexts.instanceValues(idOf(3))),
  ]);
  await store.write(
    `INSERT INTO instance_secret_answer (instance_id, masked, sealed, sealed_at) VALUES (?, '***', ?, UTC_TIMESTAMP(3))`,
    [idOf(3), seal(sealingContexts.secretAnswer(idOf(3)))],
  );
}

async function seedInputs(ring: KeyRing, instanceIDs: string[]): Promise<void> {
  const rows = instanceIDs.map((id) => {
    const context = sealingContexts.instanceInput(id);
    return [id, ring.seal(`value of ${context}`, context)];
  });
  await store.write('INSERT INTO instance_input (instance_id, sealed) VALUES ?', [rows]);
}

/** The values of every column, by their contexts, as this ring reads them. */
async function valuesOf(ring: KeyRing): Promise<[context: string, value: string][]> {
  const values: [string, string][] = [];
  for (const { table, column, contextOf } of Object.values(SEALED_COLUMNS)) {
    const rows = await store.rows<Record<string, string>>(`SELECT * FROM ${table} WHERE ${column} IS NOT NULL`);
    for (const row of rows) values.push([contextOf(row), ring.unseal(Buffer.from(row[column] ?? ''), contextOf(row))]);
  }
  return values;
}

test('every column of bytes is one that the job seals anew, or is known to hold no sealed value', async () => {
  const found = await store.rows<{ name: string }>(
    `SELECT CONCAT(table_name, '.', column_name) AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND data_type IN ('tinyblob', 'blob', 'mediumblob', 'longblob', 'binary', 'varbinary')`,
  );
  const sealed = Object.values(SEALED_COLUMNS).map(({ table, column }) => `${table}.${column}`);
  expect(found.map(({ name }) => name).toSorted()).toEqual([...sealed, ...UNSEALED_COLUMNS].toSorted());
});

test('every value that a service seals is bound to a context for which the job has a column', async () => {
  const uses: string[] = [];
  for await (const file of glob(['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'], { cwd: ROOT })) {
    if (file.endsWith('.test.ts') || file.startsWith('libs/secrets/')) continue;
    const source = await readFile(join(ROOT, file), 'utf8');
    if (!/\bKeyRing\b/.test(source)) continue;
    for (const [use] of source.matchAll(/\.(?:un)?seal\(.*/g)) uses.push(`${file}: ${use}`);
  }
  expect(uses.length).toBeGreaterThan(10);
  expect(uses.filter((use) => !use.includes('sealingContexts.'))).toEqual([]);
});

test('the job seals every value under the first key, after which the other key is not needed', async () => {
  await seedEveryColumn(oldRing);
  const before = await valuesOf(oldRing);
  expect(before.map(([context]) => context)).toHaveLength(Object.keys(SEALED_COLUMNS).length);
  const report = await reseal(store, bothRing);
  expect(report).toEqual({
    keyID: 'k2',
    resealed: before.length,
    left: {},
    unreadable: [],
    idempotencyKeys: { count: 0, until: null },
  });
  expect(await valuesOf(newRing)).toEqual(before);
  expect(await reseal(store, bothRing)).toMatchObject({ resealed: 0, left: {} });
});

test('the job goes through more values than one page, and through values larger than one transaction', async () => {
  await seedInputs(
    oldRing,
    Array.from({ length: 600 }, (_, number) => idOf(100 + number)),
  );
  const large = 'x'.repeat(3 * 1024 * 1024);
  await store.write('INSERT INTO instance_input (instance_id, sealed) VALUES (?, ?)', [
    idOf(9_999),
    oldRing.seal(large, sealingContexts.instanceInput(idOf(9_999))),
  ]);
  expect(await reseal(store, bothRing)).toMatchObject({ resealed: 601, left: {} });
  const values = await valuesOf(newRing);
  expect(values).toHaveLength(601);
  expect(values.at(-1)?.[1]).toBe(large);
});

test('a value whose key is missing stays as it is and is reported by its ids', async () => {
  await seedInputs(new KeyRing(`k0:${newKey()}`), [idOf(5)]);
  await seedInputs(oldRing, [idOf(6)]);
  expect(await reseal(store, bothRing)).toMatchObject({
    resealed: 1,
    left: { 'instance_input.sealed': { k0: 1 } },
    unreadable: [`instance_input ${idOf(5)}`],
  });
});

test('an idempotency key whose body was authenticated with another key is counted until it expires', async () => {
  const insert = (hash: number, keyID: string | null, hours: number) =>
    store.write(
      `INSERT INTO idempotency_key (key_hash, instance_id, status, body_hash, key_id, created_at)
       VALUES (?, ?, 'queued', ?, ?, UTC_TIMESTAMP(3) - INTERVAL ? HOUR)`,
      [Buffer.alloc(32, hash), idOf(1), Buffer.alloc(32), keyID, hours],
    );
  await insert(1, 'k1', 30);
  await insert(2, 'k2', 1);
  expect((await reseal(store, bothRing)).idempotencyKeys).toEqual({ count: 0, until: null });
  await insert(3, 'k1', 2);
  await insert(4, null, 3);
  const { count, until } = (await reseal(store, bothRing)).idempotencyKeys;
  expect(count).toBe(2);
  expect(until?.getTime()).toBeGreaterThan(Date.now() + 21 * 3_600_000);
});
