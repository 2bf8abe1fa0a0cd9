import { UNKNOWN_ID, addProcess } from '../../test/processes';
import { createWorld, listOf, requireText, type TestPerson, type ConsoleWorld } from '../../test/world';
import { createConsole } from '../app';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld({ LOGIN_FAILURES_PER_MINUTE: '1000' });
});

afterAll(() => world?.close());

const NEW_PASSWORD = 'another long password';
const PASSWORD_PATH = '/session/password';

const logInAs = (email: string, password: string) => world.anonymous.call('POST', '/session', { email, password });

test('an account changes its password, which ends all its other sessions and leaves an audit event', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const ana = await world.addPerson({ companyID: admin.companyID });
  const other = world.client(await world.logIn(ana.email, ana.password));
  const change = { currentPassword: ana.password, newPassword: NEW_PASSWORD };
  expect(await ana.must('PUT', PASSWORD_PATH, change)).toEqual({ ok: true });
  expect(await ana.must('GET', '/me')).toMatchObject({ email: ana.email });
  expect(await other.refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  expect((await logInAs(ana.email, ana.password)).status).toBe(401);
  expect((await logInAs(ana.email, NEW_PASSWORD)).body).toMatchObject({ mustChangePassword: false });
  expect(await admin.must('GET', `/accounts/${ana.id}/events`)).toEqual({
    events: [{ action: 'password.changed', actorID: ana.id, at: expect.any(String) }],
  });
});

test.each<[string, (ana: TestPerson) => object, { error: string; message: string }]>([
  [
    'a wrong current password',
    () => ({ currentPassword: 'wrong', newPassword: NEW_PASSWORD }),
    { error: '403 FORBIDDEN', message: 'currentPassword: is not the password of the account' },
  ],
  [
    'the current password as the new one',
    ({ password }) => ({ currentPassword: password, newPassword: password }),
    { error: '400 BAD_REQUEST', message: 'newPassword: must differ from the current password' },
  ],
  [
    'a new password that is too short',
    ({ password }) => ({ currentPassword: password, newPassword: 'ninechars' }),
    { error: '400 BAD_REQUEST', message: 'newPassword: has fewer than 10 characters' },
  ],
])('a change of the password with %s is refused', async (_, change, refusal) => {
  const ana = await world.addPerson();
  expect(await ana.refusal('PUT', PASSWORD_PATH, change(ana))).toEqual(refusal);
  expect((await logInAs(ana.email, ana.password)).status).toBe(201);
});

test('the password of the operator comes from a setting, and no call changes it', async () => {
  const change = { currentPassword: world.config.OPERATOR_PASSWORD, newPassword: NEW_PASSWORD };
  expect(await world.operator.refusal('PUT', PASSWORD_PATH, change)).toMatchObject({ error: '409 CONFLICT' });
});

test('wrong current passwords and refused logins of an account share one count', async () => {
  const strict = await createConsole({ ...world.config, LOGIN_FAILURES_PER_MINUTE: 2, TRUST_PROXY: 1 });
  const ana = await world.addPerson();
  const send = async (method: string, path: string, body: object, address: string) => {
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${ana.token}`,
      'x-forwarded-for': address,
    };
    return (await fetch(`${strict.url}/manage/v1${path}`, { method, headers, body: JSON.stringify(body) })).status;
  };
  const wrong = { currentPassword: 'wrong', newPassword: NEW_PASSWORD };
  expect(await send('PUT', PASSWORD_PATH, wrong, '10.0.0.1')).toBe(403);
  expect(await send('POST', '/session', { email: ana.email, password: 'wrong' }, '10.0.0.2')).toBe(401);
  expect(await send('PUT', PASSWORD_PATH, { ...wrong, currentPassword: ana.password }, '10.0.0.3')).toBe(429);
  expect(await send('POST', '/session', { email: ana.email, password: ana.password }, '10.0.0.3')).toBe(429);
  await strict.close();
});

test('one of two concurrent changes of a password takes effect, and a session that the old password opened in between ends', async () => {
  const ana = await world.addPerson();
  const second = world.client(await world.logIn(ana.email, ana.password));
  const change = (client: typeof second, newPassword: string) =>
    client.call('PUT', PASSWORD_PATH, { currentPassword: ana.password, newPassword });
  const [one, two] = await Promise.all([
    change(ana, `${NEW_PASSWORD} 1`),
    change(second, `${NEW_PASSWORD} 2`),
    ...Array.from({ length: 6 }, () => logInAs(ana.email, ana.password)),
  ]);
  expect([one?.status, two?.status].filter((status) => status === 200)).toHaveLength(1);
  const sessions = await world.store.rows('SELECT token_hash FROM login_session WHERE account_id = ?', [ana.id]);
  expect(sessions).toHaveLength(1);
});

test('an administrator resets a password: the one-time password is shown once and opens a session that only changes it', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const ana = await world.addPerson({ companyID: admin.companyID });
  const answer = await admin.call('POST', `/accounts/${ana.id}/password-reset`, {});
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    password: expect.stringMatching(/^[a-z2-9]{4}(-[a-z2-9]{4}){4}$/),
    expiresAt: expect.any(String),
  });
  const hours = (Date.parse(requireText(answer.body.expiresAt)) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(24);
  expect(await ana.refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  expect((await logInAs(ana.email, ana.password)).status).toBe(401);

  const oneTime = requireText(answer.body.password);
  const { body } = await logInAs(ana.email, oneTime);
  expect(body).toMatchObject({ mustChangePassword: true });
  expect(Date.parse(requireText(body.expiresAt))).toBeLessThanOrEqual(Date.parse(requireText(answer.body.expiresAt)));
  const limited = world.client(requireText(body.token));
  for (const [method, path, sent] of [
    ['GET', '/me', undefined],
    ['POST', '/credentials', { label: 'a' }],
    ['GET', '/processes', undefined],
  ] as const) {
    expect(await limited.refusal(method, path, sent)).toEqual({
      error: '403 FORBIDDEN',
      message: 'The password is a one-time password: change it by PUT /manage/v1/session/password.',
    });
  }
  const other = world.client(requireText((await logInAs(ana.email, oneTime)).body.token));
  expect(await limited.must('PUT', PASSWORD_PATH, { currentPassword: oneTime, newPassword: NEW_PASSWORD })).toEqual({
    ok: true,
  });
  expect(await limited.must('GET', '/me')).toMatchObject({ email: ana.email });
  expect(await other.refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  expect((await logInAs(ana.email, oneTime)).status).toBe(401);
  const events = listOf(await admin.must('GET', `/accounts/${ana.id}/events`), 'events');
  expect(events.map(({ action, actorID }) => [action, actorID])).toEqual([
    ['password.changed', ana.id],
    ['password.reset', admin.id],
  ]);
});

test('a one-time password is stored as a hash, and expires', async () => {
  const ana = await world.addPerson();
  const { password } = await world.operator.must('POST', `/accounts/${ana.id}/password-reset`);
  const row = await world.store.row<Record<string, unknown>>('SELECT * FROM account WHERE account_id = ?', [ana.id]);
  expect(row?.['one_time_hash']).toMatch(/^\$argon2id\$/);
  expect(JSON.stringify(row)).not.toContain(requireText(password));
  await world.store.write('UPDATE account SET one_time_until = UTC_TIMESTAMP(3) WHERE account_id = ?', [ana.id]);
  expect((await logInAs(ana.email, requireText(password))).body).toMatchObject({
    error: { code: 'CREDENTIAL_EXPIRED' },
  });
  expect((await logInAs(ana.email, 'wrong')).body).toMatchObject({ error: { code: 'INVALID_CREDENTIAL' } });
});

test('only operators and administrators of the same company reset a password, and nobody resets their own', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const stranger = await world.addPerson();
  const reset = (client: typeof admin, id: string) => client.refusal('POST', `/accounts/${id}/password-reset`, {});
  expect(await reset(member, admin.id)).toMatchObject({ error: '403 FORBIDDEN' });
  const { accountID } = await world.operator.must('GET', '/me');
  for (const id of [stranger.id, UNKNOWN_ID, requireText(accountID)]) {
    expect(await reset(admin, id)).toEqual({ error: '404 NOT_FOUND', message: 'No such account.' });
    expect(await admin.refusal('GET', `/accounts/${id}/events`)).toMatchObject({ error: '404 NOT_FOUND' });
  }
  expect(await reset(admin, admin.id)).toMatchObject({ error: '409 CONFLICT' });
  expect(await world.operator.refusal('POST', `/accounts/${requireText(accountID)}/password-reset`)).toMatchObject({
    error: '409 CONFLICT',
  });
  expect(await stranger.must('GET', '/me')).toMatchObject({ accountID: stranger.id });
});

test('answers of the console forbid caching and content sniffing', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const pid = await addProcess(admin);
  const calls: [string, string, unknown?][] = [
    ['POST', '/session', { email: admin.email, password: admin.password }],
    ['POST', '/credentials', { label: 'a' }],
    ['POST', '/environments', { name: 'a' }],
    ['POST', `/processes/${pid}/keys`, { identifier: 'a' }],
    ['POST', `/processes/${pid}/origins`, { name: 'a' }],
    ['GET', '/me'],
    ['GET', '/nothing'],
    ['GET', '/openapi.json'],
  ];
  for (const [method, path, body] of calls) {
    const { headers } = await admin.call(method, path, body);
    expect([path, headers.get('cache-control'), headers.get('x-content-type-options'), headers.get('etag')]).toEqual([
      path,
      'no-store',
      'nosniff',
      null,
    ]);
  }
});

test('password resets are limited for each company, and operators have no limit', async () => {
  const strict = await createConsole({ ...world.config, PASSWORD_RESETS_PER_MINUTE: 2 });
  const admin = await world.addPerson({ role: 'administrator' });
  const second = await world.addPerson({ role: 'administrator', companyID: admin.companyID });
  const ana = await world.addPerson({ companyID: admin.companyID });
  const other = await world.addPerson({ role: 'administrator' });
  const bia = await world.addPerson({ companyID: other.companyID });
  const at = ({ token }: { token: string }) => world.client(token, strict.url);
  const path = `/accounts/${ana.id}/password-reset`;
  await at(admin).must('POST', path);
  await at(second).must('POST', path);
  expect(await at(admin).refusal('POST', path)).toEqual({
    error: '429 RATE_LIMITED',
    message:
      'More than 2 password resets of a company in a minute (setting PASSWORD_RESETS_PER_MINUTE); wait a minute.',
  });
  await at(other).must('POST', `/accounts/${bia.id}/password-reset`);
  for (let n = 0; n < 3; n += 1) await world.operator.must('POST', path);
  await strict.close();
});

test('changes of the own password count as logins of the account', async () => {
  const strict = await createConsole({ ...world.config, LOGINS_PER_MINUTE: 1 });
  const ana = await world.addPerson();
  const client = world.client(ana.token, strict.url);
  const change = { currentPassword: ana.password, newPassword: NEW_PASSWORD };
  await client.must('PUT', PASSWORD_PATH, change);
  expect(await client.refusal('PUT', PASSWORD_PATH, { ...change, currentPassword: NEW_PASSWORD })).toMatchObject({
    error: '429 RATE_LIMITED',
    message: expect.stringContaining('LOGINS_PER_MINUTE'),
  });
  await strict.close();
});
