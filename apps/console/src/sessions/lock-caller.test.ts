import { lockAccountOfCaller } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import { randomUUID } from 'node:crypto';
import { v7 as uuid } from 'uuid';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { insertAccount } from '../../test/new-account';
import { addEnvironment, callerOf } from '../../test/processes';
import { createWorld, planBody, requireText, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

type Revocation = [how: string, end: (tx: Store, accountID: string) => Promise<unknown>, error: string];

const REVOCATIONS: Revocation[] = [
  [
    'is blocked',
    (tx, accountID) => tx.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [accountID]),
    '403 OWNER_INACTIVE',
  ],
  [
    'gets another password',
    async (tx, accountID) => {
      // What a reset of the password does to the sessions of an account.
      await tx.write("UPDATE account SET password_hash = '-' WHERE account_id = ?", [accountID]);
      await tx.write('DELETE FROM login_session WHERE account_id = ?', [accountID]);
    },
    '401 INVALID_CREDENTIAL',
  ],
  [
    'has a session that expires',
    async (tx, accountID) => {
      await tx.rows('SELECT 1 FROM account WHERE account_id = ? FOR UPDATE', [accountID]);
      const expired = 'UTC_TIMESTAMP(3) - INTERVAL 1 SECOND';
      await tx.write(`UPDATE login_session SET expires_at = ${expired} WHERE account_id = ?`, [accountID]);
    },
    '401 INVALID_CREDENTIAL',
  ],
];
const SUSPENSION: Revocation = [
  'is one of a company that is suspended',
  (tx, accountID) =>
    tx.write(
      'UPDATE company SET suspended = 1 WHERE company_id = (SELECT company_id FROM account WHERE account_id = ?)',
      [accountID],
    ),
  '403 OWNER_INACTIVE',
];

interface Target {
  companyID: string;
  /** An account of the company. */
  accountID: string;
}

interface OwnedTarget extends Target {
  environmentID: string;
  credentialID: string;
}

type Change<Of> = [what: string, method: string, path: (of: Of) => string, body: (of: Of) => unknown];

const nothing = () => undefined;

const CHANGES_OF_ADMINISTRATORS: Change<OwnedTarget>[] = [
  ['resets no password', 'POST', ({ accountID }) => `/accounts/${accountID}/password-reset`, () => ({})],
  ['blocks no account', 'PATCH', ({ accountID }) => `/accounts/${accountID}`, () => ({ blocked: true })],
  ['makes no credential', 'POST', () => '/credentials', () => ({ label: 'ERP' })],
  ['revokes no credential', 'DELETE', ({ credentialID }) => `/credentials/${credentialID}`, nothing],
  ['puts no secret into the vault', 'PUT', () => '/vault/NEW', () => ({ value: 'secret' })],
  ['takes no secret out of the vault', 'DELETE', () => '/vault/OLD', nothing],
  ['adds no environment', 'POST', () => '/environments', () => ({ name: 'Robots' })],
  ['changes no environment', 'PATCH', ({ environmentID }) => `/environments/${environmentID}`, () => ({ name: 'X' })],
  ['makes no activation key', 'POST', ({ environmentID }) => `/environments/${environmentID}/rotate-key`, nothing],
  ['deletes no environment', 'DELETE', ({ environmentID }) => `/environments/${environmentID}`, nothing],
  ['adds no process', 'POST', () => '/processes', () => ({ processName: 'Orders' })],
];

const CHANGES_OF_OPERATORS: Change<Target>[] = [
  ['adds no account', 'POST', ({ companyID }) => `/companies/${companyID}/accounts`, newAccount],
  [
    'changes no e-mail address',
    'PUT',
    ({ accountID }) => `/accounts/${accountID}/email`,
    () => ({ email: newEmail() }),
  ],
  ['adds no company', 'POST', () => '/companies', () => ({ name: 'Other', planId: world.planID })],
  ['changes no company', 'PATCH', ({ companyID }) => `/companies/${companyID}`, () => ({ suspended: true })],
  ['adds no plan', 'POST', () => '/plans', () => planBody(uuid())],
  ['changes no plan', 'PATCH', () => `/plans/${world.planID}`, () => ({ monthlyCredits: 1 })],
];

/** The rows of a table of tests: every revocation with every change. */
const everyPair = <Of>(revocations: Revocation[], changes: Change<Of>[]) =>
  revocations.flatMap(([how, ...revocation]) =>
    changes.map(([what, ...change]) => [how, what, ...revocation, ...change] as const),
  );

test.each(everyPair([...REVOCATIONS, SUSPENSION], CHANGES_OF_ADMINISTRATORS))(
  'an administrator that %s during its call %s',
  async (_, __, end, error, method, path, body) => {
    const admin = await world.addPerson({ role: 'administrator' });
    const target = await ownedTarget(admin);
    const before = await recordedActions();
    const call = () => admin.refusal(method, path(target), body(target));
    const refusal = await callDuringChange(world.store, (tx) => end(tx, admin.id), call);
    expect(refusal).toMatchObject({ error });
    expect(await recordedActions()).toEqual(before);
  },
);

test.each(everyPair(REVOCATIONS, CHANGES_OF_OPERATORS))(
  'an operator that %s during its call %s',
  async (_, __, end, error, method, path, body) => {
    const [operatorID, operator] = await newOperator();
    const { id: accountID, companyID } = await world.addPerson();
    const target = { accountID, companyID };
    const before = await recordedActions();
    const call = () => operator.refusal(method, path(target), body(target));
    const refusal = await callDuringChange(world.store, (tx) => end(tx, operatorID), call);
    expect(refusal).toMatchObject({ error });
    expect(await recordedActions()).toEqual(before);
  },
);

test.each(REVOCATIONS.filter(([how]) => how !== 'gets another password'))(
  'an account that %s during its call does not change its password',
  async (_, end, error) => {
    const ana = await world.addPerson();
    const before = await recordedActions();
    const passwords = { currentPassword: ana.password, newPassword: 'another correct horse' };
    const refusal = await callDuringChange(
      world.store,
      (tx) => end(tx, ana.id),
      () => ana.refusal('PUT', '/session/password', passwords),
      { blocked: 'write' },
    );
    expect(refusal).toMatchObject({ error });
    expect(await recordedActions()).toEqual(before);
  },
);

test('a logout waits for the changes that its session is making', async () => {
  const ana = await world.addPerson();
  const answer = await callDuringChange(
    world.store,
    (tx) => lockAccountOfCaller(tx, callerOf(ana)),
    () => ana.must('DELETE', '/session'),
    { blocked: 'write' },
  );
  expect(answer).toEqual({ ok: true });
});

test('a logout whose session another call ends meanwhile leaves no audit event', async () => {
  const ana = await world.addPerson();
  const before = await recordedActions();
  const answer = await callDuringChange(
    world.store,
    (tx) => tx.write('DELETE FROM login_session WHERE account_id = ?', [ana.id]),
    () => ana.must('DELETE', '/session'),
    { blocked: 'write' },
  );
  expect(answer).toEqual({ ok: true });
  expect(await recordedActions()).toEqual(before);
});

async function ownedTarget(admin: ConsoleCaller & { companyID: string }): Promise<OwnedTarget> {
  const { id: accountID } = await world.addPerson({ companyID: admin.companyID });
  await admin.must('PUT', '/vault/OLD', { value: 'secret' });
  const environmentID = await addEnvironment(admin);
  const credentialID = requireText((await admin.must('POST', '/credentials', { label: 'Old' })).id);
  return { companyID: admin.companyID, accountID, environmentID, credentialID };
}

async function newOperator(): Promise<[id: string, client: ConsoleCaller]> {
  const account = { id: uuid(), companyID: null, email: newEmail(), name: 'Eva', role: 'operator', passwordHash: '-' };
  return [account.id, world.client(await insertAccount(world.store, account))];
}

/** Each change records an action in its transaction. */
function recordedActions(): Promise<unknown[]> {
  return world.store.rows('SELECT event_id, action FROM management_event ORDER BY event_id');
}

function newEmail(): string {
  return `${randomUUID()}@example.com`;
}

function newAccount() {
  return { email: newEmail(), name: 'Rui', password: 'correct horse battery', role: 'member' };
}
