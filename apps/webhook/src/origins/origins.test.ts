import { hooksByToken } from '@batuta/catalog';
import { hashSecret } from '@batuta/auth';
import { webhook, type Origin, type OriginDraft } from '@batuta/contracts';
import { setActor, withRequestID } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const originDraft = (change: Partial<OriginDraft> = {}): OriginDraft => ({
  name: 'Store',
  responseMode: 'Imediata',
  waitSeconds: 30,
  enabled: true,
  signature: null,
  ...change,
});
const createOrigin = (processID: string, change: Partial<OriginDraft> = {}) =>
  world.rpc.call(webhook.createOrigin, { processID, draft: originDraft(change) });
/** Retries a creation, because on a busy machine it may find no free database connection in time. */
const createWithRetry = async (processID: string): Promise<Origin> => {
  for (;;) {
    try {
      return await createOrigin(processID);
    } catch (error) {
      if (Object(error).code !== 'UNAVAILABLE') throw error;
    }
  }
};
const listOrigins = async (processID: string) => (await world.rpc.call(webhook.origins, { processID })).origins;
const hookOf = async (token: string) => (await hooksByToken(world.store, [hashSecret(token)]))[0];
const SIGNATURE_SETTINGS = { header: 'X-Hub-Signature-256', secret: 'known to both', toleranceSeconds: 300 };

async function createOwnedOrigin(): Promise<Origin> {
  const { processID } = await registerProcess(world.store);
  return createOrigin(processID);
}

describe('origins', () => {
  test('an origin is created with the given fields and two URLs that lead to it', async () => {
    const { processID } = await registerProcess(world.store);
    const wanted = { name: 'Payments', responseMode: 'Aguardar' as const, waitSeconds: 90, enabled: false };
    const origin = await createOrigin(processID, wanted);
    expect(origin).toEqual({
      ...wanted,
      id: expect.any(String),
      processID,
      signature: null,
      devToken: expect.stringMatching(/^bwh_/),
      prodToken: expect.stringMatching(/^bwh_/),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    });
    const [dev, prod] = [await hookOf(origin.devToken), await hookOf(origin.prodToken)];
    expect([dev?.kind, prod?.kind]).toEqual(['dev', 'prod']);
    expect(prod).toMatchObject({ originID: origin.id, processID, enabled: false, revoked: false, signed: false });
    expect(await world.rpc.call(webhook.origin, { id: origin.id })).toEqual(origin);
  });

  test('an origin is found by the id of one of its captures', async () => {
    const [origin, captureID] = [await createOwnedOrigin(), uuid()];
    await world.store.write("INSERT INTO capture VALUES (?, ?, NOW(3), 2, 0, '{}', '', '{}')", [captureID, origin.id]);
    expect(await world.rpc.call(webhook.origin, { captureID })).toEqual(origin);
    await expect(world.rpc.call(webhook.origin, { captureID: uuid() })).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('an origin stores its tokens and its secret sealed', async () => {
    const { processID } = await registerProcess(world.store);
    const origin = await createOrigin(processID, { signature: SIGNATURE_SETTINGS });
    const tables = ['origin', 'origin_token'];
    const rows = await Promise.all(
      tables.map((table) => world.store.rows(`SELECT * FROM ${table} WHERE origin_id = ?`, [origin.id])),
    );
    const stored = Buffer.concat(rows.flat(2).flatMap((row) => buffersOf(row))).toString('latin1');
    expect(stored.length).toBeGreaterThan(100);
    for (const secret of [origin.devToken, origin.prodToken, SIGNATURE_SETTINGS.secret])
      expect(stored).not.toContain(secret);
  });

  test('an origin is shown with its signature rule but without the secret', async () => {
    const { processID } = await registerProcess(world.store);
    const { id, signature: shown } = await createOrigin(processID, { signature: SIGNATURE_SETTINGS });
    expect(shown).toEqual({ header: 'X-Hub-Signature-256', toleranceSeconds: 300 });
    expect(JSON.stringify(await listOrigins(processID))).not.toContain(SIGNATURE_SETTINGS.secret);
    const changed = await world.rpc.call(webhook.changeOrigin, { id, change: { name: 'Renamed' } });
    expect(changed.signature).toEqual(shown);
    const without = await world.rpc.call(webhook.changeOrigin, { id, change: { signature: null } });
    expect([without.signature, (await hookOf(without.prodToken))?.signed]).toEqual([null, false]);
  });

  test('an origin is neither created nor changed with an unusable signature rule', async () => {
    const { processID } = await registerProcess(world.store);
    const refused = { code: 'BAD_REQUEST', message: expect.stringMatching(/^signature\.header/) };
    const wrong = { ...SIGNATURE_SETTINGS, header: 'Cookie' };
    await expect(createOrigin(processID, { signature: wrong })).rejects.toMatchObject(refused);
    expect(await listOrigins(processID)).toEqual([]);
    const { id } = await createOrigin(processID);
    await expect(world.rpc.call(webhook.changeOrigin, { id, change: { signature: wrong } })).rejects.toMatchObject(
      refused,
    );
  });

  test('an origin is changed in the given fields only', async () => {
    const origin = await createOwnedOrigin();
    const { id } = origin;
    const change: Partial<OriginDraft> = { responseMode: 'Aguardar', waitSeconds: 120, enabled: false };
    expect(await world.rpc.call(webhook.changeOrigin, { id, change })).toEqual({ ...origin, ...change });
    expect(await world.rpc.call(webhook.changeOrigin, { id, change: {} })).toEqual({ ...origin, ...change });
    expect(await hookOf(origin.prodToken)).toMatchObject({
      responseMode: 'Aguardar',
      waitSeconds: 120,
      enabled: false,
    });
  });

  test('an origin is not created for an unknown process', async () => {
    await expect(createOrigin(uuid())).rejects.toMatchObject({ code: 'PROCESS_NOT_FOUND' });
  });

  test('an origin that does not exist gives NOT_FOUND for every request', async () => {
    const id = uuid();
    const answers = await Promise.allSettled([
      world.rpc.call(webhook.origin, { id }),
      world.rpc.call(webhook.changeOrigin, { id, change: { name: 'x' } }),
      world.rpc.call(webhook.rotate, { id, url: 'dev' }),
      world.rpc.call(webhook.removeOrigin, { id }),
    ]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'NOT_FOUND' }) };
    expect(answers).toEqual(answers.map(() => refused));
  });
});

describe('processes', () => {
  test('the origins of a process are listed in the order of their creation, without origins of other processes', async () => {
    const [{ processID }, other] = [await registerProcess(world.store), await registerProcess(world.store)];
    await createOrigin(other.processID);
    const names = ['c', 'a', 'b'];
    for (const name of names) await createOrigin(processID, { name });
    expect((await listOrigins(processID)).map(({ name }) => name)).toEqual(names);
    expect(await listOrigins(uuid())).toEqual([]);
  });

  test('the origins of a process are at most ten, also when two replicas create origins at once', async () => {
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'CONFLICT' }) };
    for (let round = 0; round < 4; round += 1) {
      const { processID } = await registerProcess(world.store);
      const attempts = await Promise.allSettled(Array.from({ length: 40 }, () => createWithRetry(processID)));
      expect(await listOrigins(processID)).toHaveLength(10);
      const rejected = attempts.filter(({ status }) => status === 'rejected');
      expect(rejected).toEqual(Array.from({ length: 30 }, () => refused));
    }
  });

  test('the origins of a process can be replaced after their removal, at most ten also when two replicas create them at once', async () => {
    const { processID } = await registerProcess(world.store);
    for (let count = 0; count < 10; count += 1) await createOrigin(processID);
    for (const { id } of (await listOrigins(processID)).slice(0, 2)) await world.rpc.call(webhook.removeOrigin, { id });
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => createWithRetry(processID)));
    expect(attempts.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(await listOrigins(processID)).toHaveLength(10);
  });

  test('the origins of a process are refused beyond the quota of the company, also when two replicas create them at once', async () => {
    const { processID } = await registerProcess(world.store);
    const other = uuid();
    await world.store.write(
      `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
         SELECT ?, account_id, company_id, 'Other', created_at FROM process WHERE process_id = ?`,
      [other, processID],
    );
    await world.store.write(
      `INSERT INTO origin (origin_id, process_id, name, response_mode, wait_seconds, mapping_saved, created_at)
         SELECT UUID(), ?, 'Store', 'Imediata', 30, '[]', UTC_TIMESTAMP(3) FROM seq_1_to_1998`,
      [other],
    );
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => createOrigin(processID)));
    const reasons = attempts.flatMap((attempt) => (attempt.status === 'rejected' ? [Object(attempt.reason)] : []));
    const message = expect.stringMatching(/at most 2000 webhook origins .*QUOTA_ORIGINS.*remove one/);
    expect(reasons).toEqual(
      Array.from({ length: 4 }, () => expect.objectContaining({ code: 'QUOTA_EXCEEDED', message })),
    );
    await world.store.write('DELETE FROM origin WHERE process_id = ?', [other]);
  });

  test('the origins of a process do not count for other processes', async () => {
    const [full, other] = [await registerProcess(world.store), await registerProcess(world.store)];
    for (let count = 0; count < 10; count += 1) await createOrigin(full.processID);
    expect((await createOrigin(other.processID)).processID).toBe(other.processID);
  });
});

describe('tokens', () => {
  test.each(['dev', 'prod'] as const)(
    'rotation of the %s URL revokes the old one at once and leaves the other URL',
    async (url) => {
      const before = await createOwnedOrigin();
      const after = await world.rpc.call(webhook.rotate, { id: before.id, url });
      const [rotated, kept] =
        url === 'dev' ? (['devToken', 'prodToken'] as const) : (['prodToken', 'devToken'] as const);
      expect(after[kept]).toBe(before[kept]);
      expect(after[rotated]).not.toBe(before[rotated]);
      expect(await hookOf(before[rotated])).toMatchObject({ revoked: true, kind: url });
      expect(await hookOf(after[rotated])).toMatchObject({ revoked: false, kind: url });
      expect(await hookOf(before[kept])).toMatchObject({ revoked: false });
    },
  );

  test('rotation at two replicas at once leaves exactly one valid URL and no readable old token', async () => {
    const { id, prodToken } = await createOwnedOrigin();
    const rotations = await Promise.all(
      Array.from({ length: 8 }, () => world.rpc.call(webhook.rotate, { id, url: 'prod' })),
    );
    const tokens = [prodToken, ...rotations.map((origin) => origin.prodToken)];
    const current = (await world.rpc.call(webhook.origin, { id })).prodToken;
    const hooks = await Promise.all([...new Set(tokens)].map(async (token) => [token, await hookOf(token)] as const));
    expect(hooks.filter(([, hook]) => hook && !hook.revoked).map(([token]) => token)).toEqual([current]);
    const rows = await world.store.rows<{ sealed: number; revoked: number; n: number }>(
      `SELECT sealed IS NOT NULL AS sealed, revoked_at IS NOT NULL AS revoked, COUNT(*) AS n FROM origin_token
        WHERE origin_id = ? AND kind = 'prod' GROUP BY 1, 2 ORDER BY 1`,
      [id],
    );
    expect(rows).toEqual([
      { sealed: 0, revoked: 1, n: 8 },
      { sealed: 1, revoked: 0, n: 1 },
    ]);
  });
});

describe('removal', () => {
  const countOf = async (table: string, id: string) =>
    (await world.store.rows(`SELECT 1 AS found FROM ${table} WHERE origin_id = ?`, [id])).length;

  test('removing an origin removes its current and revoked URLs and its captures, and nothing of other origins', async () => {
    const removed = await createOwnedOrigin();
    const kept = await createOrigin(removed.processID);
    await world.rpc.call(webhook.rotate, { id: removed.id, url: 'prod' });
    for (const { id } of [removed, kept]) {
      await world.store.write("INSERT INTO capture VALUES (?, ?, NOW(3), 2, 0, '{}', '', '{}')", [uuid(), id]);
    }
    expect(await world.rpc.call(webhook.removeOrigin, { id: removed.id })).toEqual({ ok: true });
    const tables = ['origin', 'origin_token', 'capture'];
    const rowsOf = async (id: string) => Promise.all(tables.map((table) => countOf(table, id)));
    expect(await rowsOf(removed.id)).toEqual([0, 0, 0]);
    expect(await rowsOf(kept.id)).toEqual([1, 2, 1]);
    expect(await hookOf(removed.prodToken)).toBeUndefined();
    expect(await hookOf(removed.devToken)).toBeUndefined();
  });

  test('removing an origin leaves no token behind while its URLs are rotated', async () => {
    const { id } = await createOwnedOrigin();
    const answers = await Promise.allSettled([
      ...Array.from({ length: 4 }, () => world.rpc.call(webhook.rotate, { id, url: 'dev' })),
      world.rpc.call(webhook.removeOrigin, { id }),
      ...Array.from({ length: 4 }, () => world.rpc.call(webhook.rotate, { id, url: 'prod' })),
    ]);
    const refusals = answers.filter((answer) => answer.status === 'rejected').map(({ reason }) => reason);
    expect(refusals).toEqual(refusals.map(() => expect.objectContaining({ code: 'NOT_FOUND' })));
    expect([await countOf('origin', id), await countOf('origin_token', id)]).toEqual([0, 0]);
  });
});

function buffersOf(row: unknown): Buffer[] {
  const values: unknown[] = typeof row === 'object' && row !== null ? Object.values(row) : [];
  return values.map((value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value))));
}

test('every change of an origin, its mapping and its captures leaves one audit event, without a secret', async () => {
  const { processID } = await registerProcess(world.store);
  const accountID = uuid();
  const asCaller = <T>(work: () => T) =>
    withRequestID('request-7', () => {
      setActor({ accountID, address: '192.0.2.7' });
      return work();
    });
  const { id } = await asCaller(() => createOrigin(processID, { signature: SIGNATURE_SETTINGS }));
  const change = { name: 'Shop', signature: SIGNATURE_SETTINGS };
  await asCaller(() => world.rpc.call(webhook.changeOrigin, { id, change }));
  await asCaller(() => world.rpc.call(webhook.rotate, { id, url: 'prod' }));
  await asCaller(() => world.rpc.call(webhook.draftMapping, { id, entries: [] }));
  await asCaller(() => world.rpc.call(webhook.saveMapping, { id }));
  await asCaller(() => world.rpc.call(webhook.removeCaptures, { id }));
  await asCaller(() => world.rpc.call(webhook.removeOrigin, { id }));
  const events = await world.store.rows<{ action: string; detail: string }>(
    'SELECT action, account_id, address, request_id, process_id, detail FROM management_event WHERE object_id = ? ORDER BY event_id',
    [id],
  );
  const known = { account_id: accountID, address: '192.0.2.7', request_id: 'request-7', process_id: processID };
  const expected = ['add', 'change', 'rotate'].map((verb) => `origin.${verb}`);
  const actions = [...expected, 'mapping.draft', 'mapping.save', 'captures.delete', 'origin.delete'];
  expect(events).toEqual(actions.map((action) => expect.objectContaining({ ...known, action })));
  expect(JSON.stringify(events)).not.toContain(SIGNATURE_SETTINGS.secret);
});
