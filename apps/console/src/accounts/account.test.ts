import { randomUUID } from 'node:crypto';
import { callDuringChange } from '../../../../test/support/call-during-change';
import { UNKNOWN_ID } from '../../test/processes';
import { createWorld, listOf, type ConsoleCaller, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

const accountBody = (fields: Record<string, unknown> = {}) => ({
  email: `${randomUUID()}@example.com`,
  name: 'Ana',
  password: 'a long password',
  ...fields,
});

test('an operator adds accounts, and no answer holds their password', async () => {
  const path = `/companies/${await world.addCompany()}/accounts`;
  const email = `Ana.${randomUUID()}@Example.com`;
  const created = await world.operator.must('POST', path, accountBody({ email }));
  expect(created).toEqual({
    id: expect.any(String),
    email: email.toLowerCase(),
    name: 'Ana',
    role: 'member',
    blocked: false,
    createdAt: expect.any(String),
  });
});

test.each<[string, Record<string, unknown>]>([
  ['email: is not an e-mail address', { email: 'ana example' }],
  ['email: is longer than 254 characters', { email: `${'a'.repeat(250)}@b.co` }],
  ['name: is empty', { name: ' ' }],
  ['name: is longer than 120 characters', { name: 'x'.repeat(121) }],
  ['password: has fewer than 10 characters', { password: 'ninechars' }],
  ['password: is longer than 200 characters', { password: 'x'.repeat(201) }],
  ['password: has control characters', { password: 'a long\npassword' }],
  ['role: must be one of member, administrator', { role: 'operator' }],
  ['blocked: is not a known field', { blocked: true }],
])('an account is refused with: %s', async (message, fields) => {
  const path = `/companies/${await world.addCompany()}/accounts`;
  expect(await world.operator.refusal('POST', path, accountBody(fields))).toEqual({
    error: '400 BAD_REQUEST',
    message,
  });
});

test('an e-mail address belongs to one account across all companies', async () => {
  const { email } = await world.addPerson();
  const path = `/companies/${await world.addCompany()}/accounts`;
  expect(await world.operator.refusal('POST', path, accountBody({ email: email.toUpperCase() }))).toEqual({
    error: '409 CONFLICT',
    message: 'email: another account has it',
  });
});

test('accounts are added by operators only, to a company that exists', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const path = `/companies/${admin.companyID}/accounts`;
  expect(await admin.refusal('POST', path, accountBody())).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await world.operator.refusal('POST', `/companies/${UNKNOWN_ID}/accounts`, accountBody())).toMatchObject({
    error: '404 NOT_FOUND',
  });
});

test('an administrator sees the accounts of its own company, newest first', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  await world.addPerson();
  const accounts = listOf(await admin.must('GET', '/accounts'), 'accounts');
  expect(accounts.map(({ id }) => id)).toEqual([member.id, admin.id]);
  expect(JSON.stringify(accounts)).not.toContain('argon2');
});

test('an operator sees the accounts of any company, newest first and page by page, and nobody else does', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  await world.addPerson();
  const path = `/companies/${admin.companyID}/accounts`;
  const accounts = listOf(await world.operator.must('GET', path), 'accounts');
  expect(accounts.map(({ id, email, role }) => [id, email, role])).toEqual([
    [member.id, member.email, 'member'],
    [admin.id, admin.email, 'administrator'],
  ]);
  expect(JSON.stringify(accounts)).not.toContain('argon2');
  const older = listOf(await world.operator.must('GET', `${path}?limit=1&before=${member.id}`), 'accounts');
  expect(older.map(({ id }) => id)).toEqual([admin.id]);
  for (const caller of [admin, member]) {
    expect(await caller.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  }
  expect(await world.operator.refusal('GET', `/companies/${UNKNOWN_ID}/accounts`)).toEqual({
    error: '404 NOT_FOUND',
    message: 'No such company.',
  });
});

test('an administrator blocks accounts of its own company, but not itself', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const stranger = await world.addPerson();
  expect(await admin.must('PATCH', `/accounts/${member.id}`, { blocked: true })).toMatchObject({ blocked: true });
  for (const id of [stranger.id, UNKNOWN_ID]) {
    expect(await admin.refusal('PATCH', `/accounts/${id}`, { blocked: true })).toEqual({
      error: '404 NOT_FOUND',
      message: 'No such account.',
    });
  }
  expect(await stranger.must('GET', '/me')).toMatchObject({ accountID: stranger.id });
  expect(await admin.refusal('PATCH', `/accounts/${admin.id}`, { blocked: true })).toMatchObject({
    error: '409 CONFLICT',
  });
});

test.each<[string, unknown]>([
  ['blocked: is required', {}],
  ['blocked: must be true or false', { blocked: 'yes' }],
  ['role: is not a known field', { blocked: true, role: 'administrator' }],
])('a change of an account is refused with: %s', async (message, body) => {
  const admin = await world.addPerson({ role: 'administrator' });
  expect(await admin.refusal('PATCH', `/accounts/${UNKNOWN_ID}`, body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('an operator sees the accounts whose e-mail address could not be normalized, and changes it', async () => {
  const ana = await world.addPerson();
  const bia = await world.addPerson();
  const unnormalizedEmail = `\u2c7coe-${ana.id}@example.com`;
  await world.store.write('UPDATE account SET email = ? WHERE account_id = ?', [unnormalizedEmail, ana.id]);
  const problem = "INSERT INTO email_problem (account_id, problem, found_at) VALUES (?, 'taken', UTC_TIMESTAMP(3))";
  await world.store.write(problem, [ana.id]);
  const path = '/accounts/email-problems';
  expect(await world.operator.must('GET', path)).toEqual({
    problems: [{ accountID: ana.id, companyID: ana.companyID, email: unnormalizedEmail, problem: 'taken' }],
  });
  const change = (email: string) => world.operator.refusal('PUT', `/accounts/${ana.id}/email`, { email });
  expect(await change(bia.email)).toEqual({ error: '409 CONFLICT', message: 'email: another account has it' });
  const email = `joe-${ana.id}@example.com`;
  expect(await world.operator.must('PUT', `/accounts/${ana.id}/email`, { email })).toMatchObject({ id: ana.id, email });
  expect(await world.operator.must('GET', path)).toEqual({ problems: [] });
  expect(await world.logIn(email, ana.password)).toMatch(/^bls_/);
  expect(await world.operator.must('GET', `/accounts/${ana.id}/events`)).toMatchObject({
    events: [{ action: 'email.changed' }],
  });
  expect(await ana.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  expect(await ana.refusal('PUT', `/accounts/${bia.id}/email`, { email })).toMatchObject({ error: '403 FORBIDDEN' });
  const { accountID } = await world.operator.must('GET', '/me');
  for (const id of [UNKNOWN_ID, String(accountID)]) {
    expect(await world.operator.refusal('PUT', `/accounts/${id}/email`, { email })).toMatchObject({
      error: '404 NOT_FOUND',
    });
  }
});

test('an administrator does not see which operator changed an account, and an operator does', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const path = `/accounts/${admin.id}`;
  await world.operator.must('PUT', `${path}/email`, { email: `new-${admin.email}` });
  await world.operator.must('POST', `${path}/password-reset`);
  const { accountID: operatorID } = await world.operator.must('GET', '/me');
  const other = await world.addPerson({ role: 'administrator', companyID: admin.companyID });
  const actorsFor = async (viewer: ConsoleCaller) =>
    listOf(await viewer.must('GET', `${path}/events`), 'events').map(({ actorID }) => actorID);
  expect(await actorsFor(other)).toEqual([null, null]);
  expect(await actorsFor(world.operator)).toEqual([operatorID, operatorID]);
});

test('an account keeps its newest 1,000 events', async () => {
  const ana = await world.addPerson();
  await world.store.write(
    `INSERT INTO account_event (account_id, actor_id, action, created_at)
     SELECT ?, ?, 'password.changed', '2026-01-01' + INTERVAL seq MINUTE FROM seq_1_to_1500`,
    [ana.id, ana.id],
  );
  await world.operator.must('POST', `/accounts/${ana.id}/password-reset`);
  const rows = await world.store.rows<{ action: string; created_at: Date }>(
    'SELECT action, created_at FROM account_event WHERE account_id = ? ORDER BY event_id',
    [ana.id],
  );
  expect([rows.length, rows[0]?.created_at]).toEqual([1_000, new Date('2026-01-01T08:22:00Z')]);
  expect(rows.at(-1)?.action).toBe('password.reset');
});

test('the audit event of a changed e-mail address names the address that it replaced, also when another call has just changed it', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const [first, second] = [`first-${admin.id}@example.com`, `second-${admin.id}@example.com`];
  await callDuringChange(
    world.store,
    (tx) => tx.write('UPDATE account SET email = ? WHERE account_id = ?', [first, admin.id]),
    () => world.operator.must('PUT', `/accounts/${admin.id}/email`, { email: second }),
  );
  const [event] = listOf(await admin.must('GET', '/company/audit'), 'events');
  expect(event).toMatchObject({ action: 'account.email', detail: { from: first, to: second } });
});

test('members and operators can neither list nor block accounts', async () => {
  const member = await world.addPerson();
  for (const caller of [member, world.operator]) {
    expect(await caller.refusal('GET', '/accounts')).toMatchObject({ error: '403 FORBIDDEN' });
    expect(await caller.refusal('PATCH', `/accounts/${member.id}`, { blocked: true })).toMatchObject({
      error: '403 FORBIDDEN',
    });
  }
});
