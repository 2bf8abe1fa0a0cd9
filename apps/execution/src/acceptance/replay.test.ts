import { execution, type StartRequest } from '@batuta/contracts';
import { createHash } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import {
  countOf,
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request);

/** Changes of the registered data that make execution refuse a new start. */
const REFUSING_CHANGES: [name: string, change: (at: TestProcess) => [sql: string, id: string]][] = [
  ['a blocked owner', ({ ownerID }) => ['UPDATE account SET blocked = 1 WHERE account_id = ?', ownerID]],
  ['an inactive process', ({ processID }) => ['UPDATE process SET active = 0 WHERE process_id = ?', processID]],
  [
    'no published version',
    ({ processID }) => ['UPDATE process SET published_version_id = NULL WHERE process_id = ?', processID],
  ],
  [
    'an environment that was deleted',
    ({ environmentID }) => ['DELETE FROM environment WHERE environment_id = ?', environmentID],
  ],
  [
    'an environment without a queue',
    ({ environmentID }) => ['UPDATE environment SET offline_flow = 0 WHERE environment_id = ?', environmentID],
  ],
  ['no credits', ({ companyID }) => ['UPDATE credit_account SET balance = 0 WHERE company_id = ?', companyID]],
];

test.each(REFUSING_CHANGES)(
  'a replay returns the first reply although a new start would be refused: %s',
  async (_name, change) => {
    const at = await registerProcess(world.store);
    const idempotency = { scope: at.processID, key: 'order-1', body: 'first' };
    const first = await start(startRequest(at, { idempotency }));
    const [sql, id] = change(at);
    await world.store.write(sql, [id]);
    const { ledger } = await creditsOf(world.store, at.companyID);

    const badValues = { matrix: { none: 1 }, environmentID: uuid() };
    const again = await start(startRequest(at, { idempotency, ...badValues }));
    expect(again).toMatchObject({ instanceID: first.instanceID, status: first.status, replayed: true });
    await expect(start(startRequest(at))).rejects.toMatchObject({ code: expect.any(String) });
    expect(await countOf(world.store, 'instance', 'process_id = ?', [at.processID])).toBe(1);
    expect((await creditsOf(world.store, at.companyID)).ledger).toBe(ledger);
  },
);

test('the stored hash of a body is keyed, and tells whether a replay has the same body', async () => {
  const at = await registerProcess(world.store);
  const body = '{"matrix":{"pin":"1234"}}';
  const idempotency = { scope: at.processID, key: 'order-1', body };
  const { instanceID } = await start(startRequest(at, { idempotency }));
  const stored = await world.store.row<{ body_hash: Buffer }>(
    'SELECT body_hash FROM idempotency_key WHERE instance_id = ?',
    [instanceID],
  );
  expect(stored?.body_hash.equals(createHash('sha256').update(body).digest())).toBe(false);
  expect(await start(startRequest(at, { idempotency }))).not.toHaveProperty('mismatch');
  expect(await start(startRequest(at, { idempotency: { ...idempotency, body: '{}' } }))).toHaveProperty(
    'mismatch',
    true,
  );
});

test('an idempotency key that a release without keyed hashes stored is replayed, and another body is reported as a mismatch', async () => {
  const at = await registerProcess(world.store);
  const idempotency = { scope: at.processID, key: 'order-1', body: 'first' };
  const { instanceID } = await start(startRequest(at, { idempotency }));
  await world.store.write('UPDATE idempotency_key SET body_hash = ? WHERE instance_id = ?', [
    createHash('sha256').update('first').digest(),
    instanceID,
  ]);
  expect(await start(startRequest(at, { idempotency }))).not.toHaveProperty('mismatch');
  expect(await start(startRequest(at, { idempotency: { ...idempotency, body: 'x' } }))).toHaveProperty(
    'mismatch',
    true,
  );
});
