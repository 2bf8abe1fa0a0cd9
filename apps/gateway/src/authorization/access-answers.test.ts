import { hashSecret, type ProcessAccess } from '@batuta/auth';
import { accessAnswers, type AccessAnswer, type AccessQuestion } from '@batuta/catalog';
import { v7 as uuid } from 'uuid';
import { startWorld, type GatewayWorld } from '../../test/world';

let world: GatewayWorld;
let named: Awaited<ReturnType<typeof registerNamedRows>>;

beforeAll(async () => {
  world = await startWorld();
  named = await registerNamedRows();
});

afterAll(() => world?.close());

const PAST = new Date(Date.now() - 60_000);
const FUTURE = new Date(Date.now() + 3_600_000);

/** Registers credentials, processes and keys of every kind; returns them under the names by which the cases refer to them. */
async function registerNamedRows() {
  const { registry } = world;
  const { companyID } = await registry.addCompany({ requestsPerMinute: 120 });
  const [owner, other, stranger] = [
    await registry.addAccount({ companyID }),
    await registry.addAccount(),
    await registry.addAccount(),
  ];
  const guest = await registry.addAccount({ companyID: (await registry.addCompany({ apiAccess: false })).companyID });
  const suspended = (await registry.addCompany({}, { suspended: true })).companyID;
  const credential = async (accountID: string, given = {}) =>
    (await registry.addCredential(accountID, given)).credentialID;
  const processes = {
    orders: await registry.addProcess(owner),
    blocked: await registry.addProcess(owner, { apiEnabled: false }),
    invoices: await registry.addProcess(other),
    gone: uuid(),
  };
  await registry.addShare(processes.orders, guest.accountID, ['execute', 'schedule']);
  await registry.addShare(processes.invoices, guest.accountID, []);
  await registry.addShare(processes.invoices, owner.accountID, ['edit']);
  return {
    owner,
    processes,
    credentials: {
      owner: await credential(owner.accountID),
      guest: await credential(guest.accountID),
      stranger: await credential(stranger.accountID, { expiresAt: FUTURE }),
      revoked: await credential(guest.accountID, { revokedAt: PAST }),
      expired: await credential(guest.accountID, { expiresAt: PAST }),
      blocked: await credential((await registry.addAccount({ blocked: true })).accountID),
      suspended: await credential((await registry.addAccount({ companyID: suspended })).accountID),
      operator: await credential((await registry.addAccount({ companyID: null })).accountID),
      unknown: uuid(),
    },
    keys: {
      orders: await registry.addKey(processes.orders),
      second: await registry.addKey(processes.orders, { identifier: 'second', expiresAt: FUTURE }),
      revoked: await registry.addKey(processes.orders, { identifier: 'revoked', revokedAt: PAST }),
      expired: await registry.addKey(processes.orders, { identifier: 'expired', expiresAt: PAST }),
      blocked: await registry.addKey(processes.blocked),
      invoices: await registry.addKey(processes.invoices),
      guess: 'bpk_guess',
    },
  };
}

type NameOf<Of extends 'credentials' | 'processes' | 'keys'> = keyof (typeof named)[Of];
interface AccessCase {
  by: NameOf<'credentials'>;
  to?: NameOf<'processes'>;
  with?: NameOf<'keys'>;
}

function questionOf({ by, to, with: key }: AccessCase): AccessQuestion {
  const { credentials, processes, keys } = named;
  const reach = to && key && { processID: processes[to], keyHash: hashSecret(keys[key]) };
  return { credentialID: credentials[by], reach };
}

const NO_PERMISSIONS = { execute: false, edit: false, api: false, schedule: false, delete: false, share: false };
const VALID_KEY = { keyID: expect.any(String), identifier: 'erp-key', revoked: false, expired: false };
const ACCESS_OF_OWNER = { owned: true, permissions: undefined, apiEnabled: true, key: VALID_KEY };
const ACCESS_OF_STRANGER = { ...ACCESS_OF_OWNER, owned: false };
const ACCESS_BY_SHARE = { ...ACCESS_OF_STRANGER, permissions: { ...NO_PERMISSIONS, execute: true, schedule: true } };

const ACCESS_RULES: [rule: string, question: AccessCase, access: Omit<ProcessAccess, 'processID'> | undefined][] = [
  ['a question that names no process', { by: 'owner' }, undefined],
  ['a process of the caller', { by: 'owner', to: 'orders', with: 'orders' }, ACCESS_OF_OWNER],
  [
    'another key of the process',
    { by: 'owner', to: 'orders', with: 'second' },
    { ...ACCESS_OF_OWNER, key: { ...VALID_KEY, identifier: 'second' } },
  ],
  [
    'a revoked key',
    { by: 'owner', to: 'orders', with: 'revoked' },
    { ...ACCESS_OF_OWNER, key: { ...VALID_KEY, identifier: 'revoked', revoked: true } },
  ],
  [
    'an expired key',
    { by: 'guest', to: 'orders', with: 'expired' },
    { ...ACCESS_BY_SHARE, key: { ...VALID_KEY, identifier: 'expired', expired: true } },
  ],
  ['a key that does not exist', { by: 'owner', to: 'orders', with: 'guess' }, { ...ACCESS_OF_OWNER, key: undefined }],
  [
    'the key of another process',
    { by: 'owner', to: 'orders', with: 'invoices' },
    { ...ACCESS_OF_OWNER, key: undefined },
  ],
  [
    'a process whose API access is BLOQUEADO',
    { by: 'owner', to: 'blocked', with: 'blocked' },
    { ...ACCESS_OF_OWNER, apiEnabled: false },
  ],
  ['a process that does not exist', { by: 'owner', to: 'gone', with: 'orders' }, undefined],
  ['a shared process', { by: 'guest', to: 'orders', with: 'orders' }, ACCESS_BY_SHARE],
  [
    'a share without permissions',
    { by: 'guest', to: 'invoices', with: 'invoices' },
    { ...ACCESS_OF_STRANGER, permissions: NO_PERMISSIONS },
  ],
  [
    'a process with shares of several accounts, of which one is the caller',
    { by: 'owner', to: 'invoices', with: 'invoices' },
    { ...ACCESS_OF_STRANGER, permissions: { ...NO_PERMISSIONS, edit: true } },
  ],
  [
    'a process of another account without a share',
    { by: 'stranger', to: 'orders', with: 'orders' },
    ACCESS_OF_STRANGER,
  ],
  [
    'a process of another account without a share, and the key of a third process',
    { by: 'stranger', to: 'invoices', with: 'orders' },
    { ...ACCESS_OF_STRANGER, key: undefined },
  ],
  ['a guest who names no process', { by: 'guest' }, undefined],
  ['a revoked credential', { by: 'revoked', to: 'orders', with: 'orders' }, ACCESS_BY_SHARE],
];

const CALLER_RULES: [by: NameOf<'credentials'>, caller: Partial<AccessAnswer['caller']>][] = [
  ['owner', { revoked: false, expired: false, apiAccess: true, requestsPerMinute: 120 }],
  ['guest', { revoked: false, expired: false, apiAccess: false }],
  ['revoked', { revoked: true, expired: false }],
  ['expired', { revoked: false, expired: true }],
  ['stranger', { revoked: false, expired: false }],
  ['blocked', { blocked: true, suspended: false }],
  ['suspended', { blocked: false, suspended: true }],
  ['operator', { companyID: null, suspended: false, apiAccess: false, requestsPerMinute: 0 }],
];

const expectedAccess = ({ to }: AccessCase, access: (typeof ACCESS_RULES)[number][2]) =>
  expect.objectContaining({ access: access && { processID: to && named.processes[to], ...access } });

test.each(ACCESS_RULES)('a single question returns the access for %s', async (_, question, access) => {
  expect(await accessAnswers(world.store, [questionOf(question)])).toEqual([expectedAccess(question, access)]);
});

test('several questions in one query get the same answers as single questions, in any order', async () => {
  const orders = [ACCESS_RULES, ACCESS_RULES.toReversed()];
  for (const cases of orders) {
    const questions = cases.map(([, question]) => questionOf(question));
    expect(await accessAnswers(world.store, questions)).toEqual(
      cases.map(([, question, access]) => expectedAccess(question, access)),
    );
  }
});

test('a single question and a batch of questions give the same facts about a caller', async () => {
  const questions = CALLER_RULES.map(([by]) => questionOf({ by }));
  const together = await accessAnswers(world.store, questions);
  const alone = await Promise.all(questions.map((question) => accessAnswers(world.store, [question])));
  const expected = CALLER_RULES.map(([by, caller]) => ({
    caller: expect.objectContaining({ credentialID: named.credentials[by], ...caller }),
    access: undefined,
  }));
  expect([together, alone.flat()]).toEqual([expected, expected]);
});

test('the answer about a caller has every field of its account and credential', async () => {
  const { credentials, owner } = named;
  const [answer] = await accessAnswers(world.store, [questionOf({ by: 'owner' })]);
  expect(answer?.caller).toEqual({
    ...owner,
    credentialID: credentials.owner,
    label: 'ERP',
    secretHash: expect.any(Buffer),
    revoked: false,
    expired: false,
    blocked: false,
    suspended: false,
    apiAccess: true,
    requestsPerMinute: 120,
  });
});

test('a question about an unknown credential has no answer and does not affect the answers to other questions', async () => {
  const known = questionOf({ by: 'owner', to: 'orders', with: 'orders' });
  const unknown = [questionOf({ by: 'unknown' }), questionOf({ by: 'unknown', to: 'orders', with: 'orders' })];
  expect(await accessAnswers(world.store, [...unknown, known])).toEqual([
    undefined,
    undefined,
    expectedAccess({ by: 'owner', to: 'orders' }, ACCESS_OF_OWNER),
  ]);
  for (const question of unknown) expect(await accessAnswers(world.store, [question])).toEqual([undefined]);
});

test('equal questions of one query are asked once', async () => {
  const rows = jest.spyOn(world.store, 'rows');
  const twice = () => [questionOf({ by: 'guest', to: 'orders', with: 'orders' }), questionOf({ by: 'guest' })];
  const answers = await accessAnswers(world.store, [...twice(), ...twice()]);
  await accessAnswers(world.store, twice());
  const [first, second] = rows.mock.calls;
  rows.mockRestore();
  expect(first).toEqual(second);
  expect(answers.slice(2)).toEqual(answers.slice(0, 2));
});

test.each([1, 2, 16])('a query of %i questions reaches every table by a primary or unique key', async (count) => {
  const rows = jest.spyOn(world.store, 'rows');
  await accessAnswers(
    world.store,
    ACCESS_RULES.slice(-count).map(([, question]) => questionOf(question)),
  );
  const [sql = '', parameters] = rows.mock.calls[0] ?? [];
  rows.mockRestore();
  const explained = await world.store.rows<{ table: string | null; type: string; key: string | null }>(
    `EXPLAIN ${sql}`,
    parameters,
  );
  const tables = explained.filter(({ table }) => table !== null && !table.startsWith('<'));
  const type = count === 1 ? 'const' : 'eq_ref';
  expect(Object.fromEntries(tables.map(({ table, ...how }) => [table, [how.type, how.key]]))).toEqual({
    c: [type, 'PRIMARY'],
    a: [type, 'PRIMARY'],
    co: [type, 'PRIMARY'],
    plan: [type, 'PRIMARY'],
    p: [type, 'PRIMARY'],
    k: [type, 'process_key_secret'],
    s: [type, 'PRIMARY'],
  });
});
