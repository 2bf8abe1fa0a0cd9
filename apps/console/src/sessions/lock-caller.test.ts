import type { Store } from '@batuta/database';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { createWorld, listOf, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const block = (tx: Store, accountID: string) =>
  tx.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [accountID]);
/** What a reset of the password does to the sessions of an account. */
const endSessions = async (tx: Store, accountID: string) => {
  await tx.write("UPDATE account SET password_hash = '-' WHERE account_id = ?", [accountID]);
  await tx.write('DELETE FROM login_session WHERE account_id = ?', [accountID]);
};

const CHANGES: [what: string, method: string, path: (id: string) => string, body: unknown][] = [
  ['resets no password', 'POST', (id) => `/accounts/${id}/password-reset`, {}],
  ['blocks no account', 'PATCH', (id) => `/accounts/${id}`, { blocked: true }],
  ['makes no credential', 'POST', () => '/credentials', { label: 'ERP' }],
];
const ENDINGS: [how: string, end: (tx: Store, accountID: string) => Promise<unknown>, error: string][] = [
  ['is blocked', block, '403 OWNER_INACTIVE'],
  ['gets another password', endSessions, '401 INVALID_CREDENTIAL'],
];

test.each(
  ENDINGS.flatMap(([how, ...ending]) => CHANGES.map(([what, ...change]) => [how, what, ...ending, ...change] as const)),
)('an administrator that %s during its call %s', async (_, __, end, error, method, path, body) => {
  const [admin, other] = await twoAdministrators();
  const ana = await world.person({ companyID: admin.companyID });
  const refusal = await callDuringChange(
    world.store,
    (tx) => end(tx, admin.id),
    () => admin.refusal(method, path(ana.id), body),
  );
  expect(refusal).toMatchObject({ error });
  expect(await ana.must('GET', '/me')).toMatchObject({ email: ana.email });
  expect(listOf(await other.must('GET', `/accounts/${ana.id}/events`), 'events')).toEqual([]);
  const credentials = await world.store.rows('SELECT 1 FROM credential WHERE account_id = ?', [admin.id]);
  expect(credentials).toEqual([]);
});

async function twoAdministrators() {
  const admin = await world.person({ role: 'administrator' });
  return [admin, await world.person({ role: 'administrator', companyID: admin.companyID })] as const;
}
