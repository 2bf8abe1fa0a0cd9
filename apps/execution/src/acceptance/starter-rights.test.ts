import { execution, type Trigger } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addLoginSession } from '../../../../test/support/login-session';
import {
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
  type TestProcess,
} from '../../test/world';
import { readStarters, requireStarterRights } from './starter-rights';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Adds an account of the company with a share of the process that has these permissions; returns its id. */
async function addShareHolder({ companyID, processID }: TestProcess, may: { execute: 0 | 1; edit: 0 | 1 }) {
  const [accountID, now] = [uuid(), new Date()];
  await world.store.write(
    'INSERT INTO account (account_id, company_id, email, name, role, password_hash, blocked, created_at) VALUES (?)',
    [[accountID, companyID, `${accountID}@x`, 's', 'member', 'h', false, now]],
  );
  const share = [processID, accountID, may.execute, may.edit, 0, 0, 0, 0, now];
  await world.store.write('INSERT INTO process_share VALUES (?)', [share]);
  return accountID;
}

const start = (at: TestProcess, kind: Trigger['kind'], accountID: string, sessionHash?: string) => {
  const trigger: Trigger = { kind, accountID, sessionHash, userName: 's', executor: 's' };
  return world.rpc.call(execution.start, startRequest(at, { trigger }));
};

const refusalOf = (started: Promise<unknown>) =>
  started.then(
    () => 'no refusal',
    (error: { code: string }) => error.code,
  );

const KINDS: [what: string, kind: Trigger['kind'], may: { execute: 0 | 1; edit: 0 | 1 }][] = [
  ['a manual run', 'manual', { execute: 1, edit: 0 }],
  ['a debug run', 'debug', { execute: 0, edit: 1 }],
  ['a replay of a capture', 'webhook', { execute: 1, edit: 0 }],
];
const REVOCATIONS: [how: string, sql: string, code: string][] = [
  ['share has ended', 'DELETE FROM process_share WHERE account_id = ?', 'PROCESS_NOT_FOUND'],
  [
    'share has lost the permission',
    'UPDATE process_share SET may_execute = 1 - may_execute, may_edit = 1 - may_edit WHERE account_id = ?',
    'FORBIDDEN',
  ],
  ['account is blocked', 'UPDATE account SET blocked = 1 WHERE account_id = ?', 'OWNER_INACTIVE'],
];

test.each(
  REVOCATIONS.flatMap(([how, ...revocation]) =>
    KINDS.map(([what, ...kind]) => [what, how, ...kind, ...revocation] as const),
  ),
)('%s is refused at its acceptance when the %s since the check of the console', async (_, __, kind, may, sql, code) => {
  const at = await registerProcess(world.store);
  const accountID = await addShareHolder(at, may);
  await start(at, kind, accountID);
  const before = await creditsOf(world.store, at.companyID);
  await world.store.write(sql, [accountID]);
  expect(await refusalOf(start(at, kind, accountID))).toBe(code);
  expect(await creditsOf(world.store, at.companyID)).toEqual(before);
});

const ENDED_SESSIONS: [how: string, sql: string][] = [
  ['has ended', 'DELETE FROM login_session WHERE account_id = ?'],
  ['has expired', 'UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?'],
];

test.each(ENDED_SESSIONS.flatMap(([how, sql]) => KINDS.map(([what, kind]) => [what, how, kind, sql] as const)))(
  '%s is refused at its acceptance when the login session of its starter %s since the check of the console',
  async (_, __, kind, sql) => {
    const at = await registerProcess(world.store);
    const { sessionHash } = await addLoginSession(world.store, at.ownerID);
    await start(at, kind, at.ownerID, sessionHash);
    const before = await creditsOf(world.store, at.companyID);
    await world.store.write(sql, [at.ownerID]);
    expect(await refusalOf(start(at, kind, at.ownerID, sessionHash))).toBe('INVALID_CREDENTIAL');
    expect(await creditsOf(world.store, at.companyID)).toEqual(before);
  },
);

test('an account of a company that is suspended since the check of the console starts nothing', async () => {
  const [at, other] = [await registerProcess(world.store), await registerProcess(world.store)];
  const share = [at.processID, other.ownerID, 1, 1, 0, 0, 0, 0, new Date()];
  await world.store.write('INSERT INTO process_share VALUES (?)', [share]);
  await start(at, 'manual', other.ownerID);
  await world.store.write('UPDATE company SET suspended = 1 WHERE company_id = ?', [other.companyID]);
  expect(await refusalOf(start(at, 'manual', other.ownerID))).toBe('OWNER_INACTIVE');
});

test('a share of one process starts no other process of the same batch', async () => {
  const [at, other] = [await registerProcess(world.store), await registerProcess(world.store)];
  const accountID = await addShareHolder(at, { execute: 1, edit: 0 });
  const trigger: Trigger = { kind: 'manual', accountID, userName: 's', executor: 's' };
  const [shared, foreign] = [startRequest(at, { trigger }), startRequest(other, { trigger })];
  const starters = await readStarters(world.store, [shared, foreign]);
  expect(() => requireStarterRights(shared, at.ownerID, starters)).not.toThrow();
  expect(() => requireStarterRights(foreign, other.ownerID, starters)).toThrow(
    expect.objectContaining({ code: 'PROCESS_NOT_FOUND' }),
  );
});

test('a dry run of a start by hand names the permission that the account lacks', async () => {
  const at = await registerProcess(world.store);
  const accountID = await addShareHolder(at, { execute: 0, edit: 1 });
  const trigger: Trigger = { kind: 'manual', accountID, userName: 's', executor: 's' };
  const { refusals } = await world.rpc.call(execution.dryRun, { processID: at.processID, trigger });
  expect(refusals.map(({ code }) => code)).toContain('FORBIDDEN');
});
