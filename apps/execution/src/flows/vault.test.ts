import { execution, type StartRequest, type TriggerKind } from '@batuta/contracts';
import { KeyRing } from '@batuta/secrets';
import { v7 as uuid } from 'uuid';
import { createProcessWithAgent, startPendingClaim, type ProcessWithAgent } from '../../test/claims';
import { claimOnce, viewerOf } from '../../test/instances';
import { countOf, creditsOf, startRequest, startWorld, type ExecutionWorld } from '../../test/world';

const FLOW =
  '{"start":"a","steps":[{"name":"a","type":"rest","method":"GET","url":"http://x/{vault.TOKEN}{vault.OTHER}"}]}';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/**
 * Registers a process whose flow reads the vault, and another company with an agent, whose account has a share of the
 * process.
 */
async function makeOwnerAndSharee(flow = FLOW): Promise<{ owner: ProcessWithAgent; sharee: ProcessWithAgent }> {
  const [owner, sharee] = [
    await createProcessWithAgent(world, { flow, credits: 10 }),
    await createProcessWithAgent(world),
  ];
  const keys = new KeyRing(world.env['SECRET_KEYS'] ?? '');
  for (const key of ['TOKEN', 'OTHER']) {
    const sealed = keys.seal(`value of ${key}`, `vault:${owner.ownerID}:${key}`);
    await world.store.write('INSERT INTO vault_secret VALUES (?, ?, ?, UTC_TIMESTAMP(3))', [
      owner.ownerID,
      key,
      sealed,
    ]);
  }
  const share = [owner.processID, sharee.ownerID, 1, 0, 0, 0, 0, 0, new Date()];
  await world.store.write('INSERT INTO process_share VALUES (?)', [share]);
  return { owner, sharee };
}

/** The sharee starts the process of the owner in the sharee's own environment. */
const startRequestBySharee = (
  owner: ProcessWithAgent,
  sharee: ProcessWithAgent,
  kind: TriggerKind = 'api',
): StartRequest =>
  startRequest(owner, {
    trigger: { kind, accountID: sharee.ownerID, userName: 'guest', executor: 'guest' },
    environmentID: sharee.environmentID,
  });

test.each<TriggerKind>(['api', 'manual'])(
  'a start (%s) of a flow that reads the vault in an environment of a sharee is refused, uncharged and unstored',
  async (kind) => {
    const { owner, sharee } = await makeOwnerAndSharee();
    const { reply } = await startPendingClaim(world, sharee);
    const refused = world.rpc.call(execution.start, startRequestBySharee(owner, sharee, kind));
    await expect(refused).rejects.toMatchObject({
      code: 'INVALID_ENVIRONMENT',
      message: expect.stringContaining('reads the vault of the owner'),
    });
    for (const table of ['instance', 'audit_event']) {
      expect(await countOf(world.store, table, 'process_id = ?', [owner.processID])).toBe(0);
    }
    expect(await countOf(world.store, 'credit_entry', "company_id = ? AND kind = 'start'", [owner.companyID])).toBe(0);
    await world.rpc.call(execution.start, startRequest(sharee));
    expect(await reply).toMatchObject([{ processID: sharee.processID, vault: {} }]);
  },
);

test('a start of a large flow, which no replica has read, is refused in an environment where it may not read the vault', async () => {
  const { owner, sharee } = await makeOwnerAndSharee(FLOW + ' '.repeat(65_536));
  const refused = world.rpc.call(execution.start, startRequestBySharee(owner, sharee));
  await expect(refused).rejects.toMatchObject({ code: 'INVALID_ENVIRONMENT' });
});

test('a dry run names the refusal of an environment in which the flow may not read the vault', async () => {
  const { owner, sharee } = await makeOwnerAndSharee();
  const { processID, trigger, environmentID } = startRequestBySharee(owner, sharee);
  const { refusals } = await world.rpc.call(execution.dryRun, { processID, trigger, environmentID });
  expect(refusals).toMatchObject([{ code: 'INVALID_ENVIRONMENT', message: expect.stringContaining('vault') }]);
});

test('a sharee starts a flow that does not read the vault in an environment of their own', async () => {
  const { owner, sharee } = await makeOwnerAndSharee('{"start":"a","steps":[]}');
  const { instanceID } = await world.rpc.call(execution.start, startRequestBySharee(owner, sharee));
  expect(await claimOnce(world, sharee)).toMatchObject([{ instanceID, vault: {} }]);
});

test('a sharee starts a flow that reads the vault in the environment of the owner', async () => {
  const { owner, sharee } = await makeOwnerAndSharee();
  await world.rpc.call(execution.start, { ...startRequestBySharee(owner, sharee), environmentID: undefined });
  expect(await claimOnce(world, owner)).toMatchObject([{ vault: { TOKEN: 'value of TOKEN' } }]);
});

test('an environment that is shared with the company of the owner gets the vault values', async () => {
  const { owner, sharee: administrator } = await makeOwnerAndSharee();
  const { environmentID } = administrator;
  await shareEnvironment(environmentID, owner.companyID);
  await world.rpc.call(execution.start, startRequest(owner, { environmentID }));
  expect(await claimOnce(world, administrator)).toMatchObject([{ vault: { TOKEN: 'value of TOKEN' } }]);
});

/** Makes the environment a shared one of this company; it still belongs to the same account. */
const shareEnvironment = (environmentID: string, companyID: string) =>
  world.store.write('UPDATE environment SET shared = 1, company_id = ? WHERE environment_id = ?', [
    companyID,
    environmentID,
  ]);

test.each<[string, (owner: ProcessWithAgent, environmentID: string) => Promise<unknown>]>([
  [
    'the sharing of its environment ended',
    (_owner, environmentID) =>
      world.store.write('UPDATE environment SET shared = 0 WHERE environment_id = ?', [environmentID]),
  ],
  [
    'its environment is shared with another company now',
    (_owner, environmentID) => shareEnvironment(environmentID, uuid()),
  ],
  [
    'its process has another owner now',
    ({ processID }) => world.store.write('UPDATE process SET account_id = ? WHERE process_id = ?', [uuid(), processID]),
  ],
])('a queued instance whose flow reads the vault is stopped and refunded by the claim if %s', async (_, change) => {
  const { owner, sharee: administrator } = await makeOwnerAndSharee();
  const { environmentID } = administrator;
  await shareEnvironment(environmentID, owner.companyID);
  const { instanceID } = await world.rpc.call(execution.start, startRequest(owner, { environmentID }));
  const { instanceID: next } = await world.rpc.call(execution.start, startRequest(administrator));
  await change(owner, environmentID);
  expect((await claimOnce(world, administrator, 5)).map((work) => work.instanceID)).toEqual([next]);
  const body = await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(owner) });
  expect(body).toMatchObject({ status: 'stopped', errorMessage: expect.stringContaining('reads the vault') });
  expect(await creditsOf(world.store, owner.companyID)).toEqual({ balance: 10, ledger: 10 });
});

test.each(['from the queue', 'with its acceptance'])(
  'an instance that is claimed %s gets only the vault values that the owner allowed its process',
  async (how) => {
    const { owner } = await makeOwnerAndSharee();
    await world.store.write("DELETE FROM process_vault_key WHERE process_id = ? AND vault_key = 'OTHER'", [
      owner.processID,
    ]);
    const waiting = how === 'from the queue' ? undefined : await startPendingClaim(world, owner);
    await world.rpc.call(execution.start, startRequest(owner));
    const work = waiting ? await waiting.reply : await claimOnce(world, owner);
    expect(work).toMatchObject([{ vault: { TOKEN: 'value of TOKEN' } }]);
    expect(work[0]?.vault).not.toHaveProperty('OTHER');
  },
);

test('the audit trail of the process shows a change of the allowed keys that the console recorded', async () => {
  const { owner } = await makeOwnerAndSharee();
  const { processID, ownerID: accountID } = owner;
  const event = { accountID, action: 'vault-keys', executor: 'ana@example.com', detail: { keys: ['TOKEN'] } };
  expect(await world.rpc.call(execution.recordAudit, { processID, ...event })).toEqual({ ok: true });
  const { events } = await world.rpc.call(execution.audit, { processID, limit: 1 });
  expect(events).toEqual([{ ...event, instanceID: null, at: expect.any(String) }]);
});
