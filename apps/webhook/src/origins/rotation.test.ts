import { hashSecret } from '@batuta/auth';
import { hooksByToken } from '@batuta/catalog';
import { webhook, type Origin } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { registerProcess } from '../../test/registry';
import { startWorld, type WebhookWorld } from '../../test/world';

let world: WebhookWorld;
beforeAll(async () => {
  // Without sweeps, the first transaction after `afterCommit` is set is that of the rotation.
  world = await startWorld({ replicas: 2, settings: { SWEEP_MS: '86400000' } });
});
afterAll(() => world?.close());

const hookOf = async (token: string) => (await hooksByToken(world.store, [hashSecret(token)]))[0];

async function createOwnedOrigin(): Promise<Origin> {
  const { processID } = await registerProcess(world.store);
  const draft = { name: 'Store', responseMode: 'Imediata', waitSeconds: 30, enabled: true, signature: null } as const;
  return world.rpc.call(webhook.createOrigin, { processID, draft });
}

describe('a rotation that another one follows before it answers', () => {
  const transaction: Store['transaction'] = Reflect.get(Store.prototype, 'transaction');
  let afterCommit: (() => Promise<unknown>) | undefined;
  let transactions: jest.SpyInstance;
  beforeEach(() => {
    transactions = jest.spyOn(Store.prototype, 'transaction');
    transactions.mockImplementation(async function <T>(this: Store, work: (store: Store) => Promise<T>): Promise<T> {
      const result = await transaction.call<Store, [typeof work], Promise<T>>(this, work);
      const next = afterCommit;
      afterCommit = undefined;
      await next?.();
      return result;
    });
  });
  afterEach(() => transactions.mockRestore());

  test('a rotation answers the URL that it made', async () => {
    const { id } = await createOwnedOrigin();
    const rotate = () => world.rpc.call(webhook.rotate, { id, url: 'prod' });
    let following: Origin | undefined;
    afterCommit = async () => {
      following = await rotate();
    };
    const { prodToken } = await rotate();
    expect(following).toBeDefined();
    expect(prodToken).not.toBe(following?.prodToken);
    expect([await hookOf(prodToken), await hookOf(following?.prodToken ?? '')]).toMatchObject([
      { revoked: true },
      { revoked: false },
    ]);
  });
});

test('an origin keeps its newest 100 revoked URLs of each kind', async () => {
  const { id, prodToken, devToken } = await createOwnedOrigin();
  await world.store.write(
    `INSERT INTO origin_token (token_hash, origin_id, kind, created_at, revoked_at)
     SELECT UNHEX(SHA2(CONCAT(?, seq), 256)), ?, 'prod', '2026-01-01', '2026-01-01' + INTERVAL seq MINUTE FROM seq_1_to_1000`,
    [id, id],
  );
  await world.rpc.call(webhook.rotate, { id, url: 'prod' });
  const revoked = 'SELECT revoked_at FROM origin_token WHERE origin_id = ? AND revoked_at IS NOT NULL ORDER BY 1';
  const rows = await world.store.rows<{ revoked_at: Date }>(revoked, [id]);
  expect([rows.length, rows[0]?.revoked_at]).toEqual([100, new Date('2026-01-01T15:02:00Z')]);
  expect(await hookOf(prodToken)).toMatchObject({ revoked: true });
  expect(await hookOf(devToken)).toMatchObject({ revoked: false });
});
