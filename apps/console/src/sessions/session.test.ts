import { randomUUID } from 'node:crypto';
import { waitUntil } from '../../../../test/support/wait-until';
import { asRecord, createWorld, listOf, type ConsoleWorld } from '../../test/world';
import { createConsole } from '../app';
import { cookieOptions } from './cookie';
import { PasswordHasher } from './password-hasher';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld({ LOGIN_FAILURES_PER_MINUTE: '1000', SWEEP_MS: '50' });
});

afterAll(() => world?.close());

test('a login returns a token, and a cookie that scripts of a page cannot read', async () => {
  const { email, password } = await world.addPerson();
  const answer = await world.anonymous.call('POST', '/session', { email: ` ${email.toUpperCase()} `, password });
  expect(answer.status).toBe(201);
  expect(answer.body.token).toMatch(/^bls_[\w-]{43}$/);
  const hours = (Date.parse(String(answer.body.expiresAt)) - Date.now()) / 3_600_000;
  expect(Math.round(hours)).toBe(world.config.SESSION_HOURS);
  expect(answer.headers.get('set-cookie')).toMatch(
    /^batuta_session=bls_[\w-]{43}; Path=\/manage; Expires=[^;]+; HttpOnly; SameSite=Strict$/,
  );
});

test('the session cookie is Secure unless the console is called at a loopback address', () => {
  expect(cookieOptions({ secure: false, hostname: '127.0.0.1' }).secure).toBe(false);
  expect(cookieOptions({ secure: true, hostname: '127.0.0.1' }).secure).toBe(true);
  expect(cookieOptions({ secure: false, hostname: 'console.example.com' }).secure).toBe(true);
});

test.each([
  ['an unknown e-mail', { email: 'nobody@example.com', password: 'correct horse battery' }],
  ['a wrong password', { email: 'operator@example.com', password: 'wrong horse battery' }],
  ['a password of another length', { email: 'operator@example.com', password: 'x' }],
])('a login with %s is refused with the message of every refused login', async (_, body) => {
  expect(await world.anonymous.refusal('POST', '/session', body)).toEqual({
    error: '401 INVALID_CREDENTIAL',
    message: 'email, password: no account has this e-mail and password',
  });
});

test.each<[string, unknown, string]>([
  ['no body', undefined, 'email: is required'],
  ['no password', { email: 'a@b' }, 'password: is required'],
  ['no e-mail address', { email: 'a', password: 'b' }, 'email: has fewer than 3 characters'],
  ['a number', { email: 7, password: 'b' }, 'email: must be a text'],
  ['an unknown field', { email: 'a@b', password: 'b', admin: true }, 'admin: is not a known field'],
  ['a list', [], 'body: must be an object'],
])('a login with %s is BAD_REQUEST', async (_, body, message) => {
  expect(await world.anonymous.refusal('POST', '/session', body)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('the route me returns the account that is logged in', async () => {
  const ana = await world.addPerson({ role: 'administrator', name: 'Ana Souza' });
  expect(await ana.must('GET', '/me')).toEqual({
    accountID: ana.id,
    email: ana.email,
    name: 'Ana Souza',
    role: 'administrator',
    company: { id: ana.companyID, name: 'Acme' },
  });
  expect(await world.operator.must('GET', '/me')).toMatchObject({ role: 'operator', company: null });
});

test.each([
  ['no token', undefined, '401 MISSING_CREDENTIAL'],
  ['a token that is not known', `bls_${'x'.repeat(43)}`, '401 INVALID_CREDENTIAL'],
])('a call with %s is refused', async (_, token, error) => {
  expect(await world.client(token).refusal('GET', '/me')).toMatchObject({ error });
});

test('an expired session is refused, and removed a day later', async () => {
  const ana = await world.addPerson();
  const age = (ago: string) =>
    world.store.write(`UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) - INTERVAL ${ago} WHERE account_id = ?`, [
      ana.id,
    ]);
  await age('1 SECOND');
  expect(await ana.refusal('GET', '/me')).toMatchObject({ error: '401 CREDENTIAL_EXPIRED' });
  await age('2 DAY');
  const left = () => world.store.rows('SELECT 1 FROM login_session WHERE account_id = ?', [ana.id]);
  await waitUntil('the sweep has removed the session', async () => (await left()).length === 0);
});

test('a logout ends the session of its call only', async () => {
  const ana = await world.addPerson();
  const other = world.client(await world.logIn(ana.email, ana.password));
  const { headers } = await ana.call('DELETE', '/session');
  expect(headers.get('set-cookie')).toMatch(/^batuta_session=; /);
  expect(await ana.refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  expect(await other.must('GET', '/me')).toMatchObject({ email: ana.email });
});

test('a session by cookie may read, and may change something only with a JSON content type', async () => {
  const ana = await world.addPerson();
  const cookie = { cookie: `theme=dark; batuta_session=${ana.token}` };
  const json = { ...cookie, 'content-type': 'application/json' };
  const byCookie = (method: string, path: string, headers: Record<string, string>, body?: unknown) =>
    world.anonymous.call(method, path, body, headers);
  expect((await byCookie('GET', '/me', cookie)).status).toBe(200);
  expect((await byCookie('DELETE', '/session', cookie)).body).toMatchObject({ error: { code: 'FORBIDDEN' } });
  const form = { ...cookie, 'content-type': 'text/plain' };
  expect((await byCookie('POST', '/credentials', form, '{"label":"x"}')).status).toBe(403);
  expect((await byCookie('POST', '/credentials', json, { label: 'x' })).status).toBe(201);
  expect((await byCookie('DELETE', '/session', json)).status).toBe(200);
});

test('a blocked account and an account of a suspended company can neither log in nor use their sessions', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const ana = await world.addPerson({ companyID: admin.companyID });
  const blocked = { error: '403 OWNER_INACTIVE', message: 'The account is blocked.' };
  const suspended = { error: '403 OWNER_INACTIVE', message: 'The company of the account is suspended.' };
  const { email, password } = ana;
  await admin.must('PATCH', `/accounts/${ana.id}`, { blocked: true });
  expect(await ana.refusal('GET', '/me')).toMatchObject(blocked);
  expect(await world.anonymous.refusal('POST', '/session', { email, password })).toMatchObject(blocked);
  await admin.must('PATCH', `/accounts/${ana.id}`, { blocked: false });
  expect(await ana.must('GET', '/me')).toMatchObject({ email });
  await world.operator.must('PATCH', `/companies/${admin.companyID}`, { suspended: true });
  expect(await ana.refusal('GET', '/me')).toMatchObject(suspended);
  expect(await world.anonymous.refusal('POST', '/session', { email, password })).toMatchObject(suspended);
});

test('a hash with other parameters is replaced at the next right login, also by several logins at once', async () => {
  for (const method of ['hash', 'isOutdated'] as const) jest.spyOn(PasswordHasher.prototype, method).mockRestore();
  const { id, email, password } = await world.addPerson();
  const logIn = async (sent: string) =>
    (await world.anonymous.call('POST', '/session', { email, password: sent })).status;
  const storedHash = async () =>
    (await world.store.row<{ password_hash: string }>('SELECT password_hash FROM account WHERE account_id = ?', [id]))
      ?.password_hash;
  const cheap = await storedHash();
  expect([await logIn('wrong password'), await storedHash()]).toEqual([401, cheap]);
  expect(await Promise.all([1, 2, 3].map(() => logIn(password)))).toEqual([201, 201, 201]);
  const current = await storedHash();
  expect(current).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
  expect([await logIn(password), await logIn('wrong password'), await storedHash()]).toEqual([201, 401, current]);
});

test('passwords are stored as argon2id hashes, tokens as SHA-256 hashes', async () => {
  // Tests hash with cheaper parameters, so this test restores those of production.
  jest.spyOn(PasswordHasher.prototype, 'hash').mockRestore();
  const account = { email: `${randomUUID()}@example.com`, name: 'Ana', password: 'correct horse battery' };
  const { id } = await world.operator.must('POST', `/companies/${await world.addCompany()}/accounts`, account);
  const token = await world.logIn(account.email, account.password);
  const row = await world.store.row<{ password_hash: string }>('SELECT * FROM account WHERE account_id = ?', [id]);
  expect(row?.password_hash).toMatch(/^\$argon2id\$v=19\$m=7168,t=5,p=1\$/);
  const [session] = await world.store.rows<{ token_hash: Buffer }>('SELECT * FROM login_session WHERE account_id = ?', [
    id,
  ]);
  expect(session?.token_hash.toString()).not.toContain(token);
});

test('refused logins are throttled by e-mail address and by network address', async () => {
  const strict = await createConsole({ ...world.config, LOGIN_FAILURES_PER_MINUTE: 3 });
  const { email, password } = await world.addPerson();
  const statusOf = async (body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await fetch(`${strict.url}/manage/v1/session`, init);
    return `${response.status} ${response.headers.get('retry-after')}`;
  };
  expect(await statusOf({ email, password })).toBe('201 null');
  // The throttled minute begins with the first failure; Retry-After is in whole seconds.
  const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
  try {
    for (let n = 0; n < 3; n += 1) expect(await statusOf({ email, password: 'wrong' })).toBe('401 null');
    expect(await statusOf({ email, password })).toBe('429 60');
    expect(await statusOf({ email: 'other@example.com', password: 'wrong' })).toBe('429 60');
  } finally {
    clock.mockRestore();
  }
  await strict.close();
});

test('another spelling of an e-mail address is the same account or none, and has no separate count of failures', async () => {
  const name = randomUUID().slice(0, 8).replaceAll('-', '');
  const password = 'correct horse battery';
  const plain = `conta1${name}@example.com`;
  const wide = `ｃｏｎｔａ１${name}＠example．com`;
  const path = `/companies/${await world.addCompany()}/accounts`;
  await world.operator.must('POST', path, { email: wide, name: 'Ana', password });
  await world.operator.must('POST', path, {
    email: `cónta1${name}@example.com`,
    name: 'Bia',
    password: 'another password',
  });
  const logIn = (email: string) => world.anonymous.call('POST', '/session', { email, password });
  for (const email of [plain, wide, ` ${plain.toUpperCase()}`]) expect((await logIn(email)).status).toBe(201);
  expect((await logIn(`cónta1${name}@example.com`)).status).toBe(401);
  expect((await logIn(`conta1\u0301${name}@example.com`)).status).toBe(401);
  for (const invisible of ['\u200d', '\u200b', '\u00ad', '\ufe0f']) {
    expect((await logIn(`con${invisible}ta1${name}@example.com`)).body).toEqual({
      error: { code: 'BAD_REQUEST', message: 'email: is not an e-mail address' },
    });
  }
  const strict = await createConsole({ ...world.config, LOGIN_FAILURES_PER_MINUTE: 2, TRUST_PROXY: 1 });
  const guess = async (email: string, address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
    const init = { method: 'POST', headers, body: JSON.stringify({ email, password: 'wrong' }) };
    return (await fetch(`${strict.url}/manage/v1/session`, init)).status;
  };
  expect(await guess(plain, '10.0.0.1')).toBe(401);
  expect(await guess(wide, '10.0.0.2')).toBe(401);
  expect(await guess(plain.toUpperCase(), '10.0.0.3')).toBe(429);
  await strict.close();
});

test('replicas that start at the same time create one operator', async () => {
  const config = { ...world.config, OPERATOR_EMAIL: `${randomUUID()}@example.com` };
  const replicas = await Promise.all([createConsole(config), createConsole(config)]);
  await Promise.all(replicas.map((replica) => replica.close()));
  const rows = await world.store.rows('SELECT 1 FROM account WHERE email = ?', [config.OPERATOR_EMAIL]);
  expect(rows).toHaveLength(1);
  // The former operator stays blocked until a console starts with that operator's address in OPERATOR_EMAIL again.
  expect(await world.operator.refusal('GET', '/me')).toMatchObject({ error: '403 OWNER_INACTIVE' });
  await (await createConsole(world.config)).close();
  expect(await world.operator.must('GET', '/me')).toMatchObject({ role: 'operator' });
});

test('a changed OPERATOR_PASSWORD takes effect and ends the sessions of the old one', async () => {
  const token = await world.logIn(world.config.OPERATOR_EMAIL, world.config.OPERATOR_PASSWORD);
  await (await createConsole({ ...world.config, OPERATOR_PASSWORD: 'another long password' })).close();
  expect(await world.client(token).refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });
  await world.logIn(world.config.OPERATOR_EMAIL, 'another long password');
  await (await createConsole(world.config)).close();
  const again = world.client(await world.logIn(world.config.OPERATOR_EMAIL, world.config.OPERATOR_PASSWORD));
  expect(listOf(await again.must('GET', '/plans'), 'plans')).toHaveLength(1);
});

test('logins with the right password are limited by account and by network address, and one account has at most SESSIONS_PER_ACCOUNT sessions', async () => {
  const limits = { LOGINS_PER_MINUTE: 4, LOGINS_PER_ADDRESS: 6, SESSIONS_PER_ACCOUNT: 2, TRUST_PROXY: 1 };
  const strict = await createConsole({ ...world.config, ...limits });
  const [ana, bia] = [await world.addPerson(), await world.addPerson()];
  const logIn = async ({ email }: { email: string }, address: string) => {
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': address };
    const init = { method: 'POST', headers, body: JSON.stringify({ email, password: ana.password }) };
    const response = await fetch(`${strict.url}/manage/v1/session`, init);
    const answer = asRecord(await response.json());
    return {
      status: response.status,
      token: String(answer.token),
      message: String(asRecord(answer.error ?? {}).message),
    };
  };
  const tokens = [];
  for (let n = 1; n <= 4; n += 1) tokens.push((await logIn(ana, `10.0.0.${n}`)).token);
  expect(await logIn(ana, '10.0.0.5')).toMatchObject({
    status: 429,
    message: 'More than 4 logins of an account in a minute (setting LOGINS_PER_MINUTE); wait a minute.',
  });
  const statuses = await Promise.all(
    tokens.map(async (token) => (await world.client(token).call('GET', '/me')).status),
  );
  expect(statuses).toEqual([401, 401, 200, 200]);
  expect(await ana.refusal('GET', '/me')).toMatchObject({ error: '401 INVALID_CREDENTIAL' });

  const others = await Promise.all(Array.from({ length: 5 }, () => world.addPerson()));
  for (const other of [bia, ...others]) expect((await logIn(other, '10.0.1.1')).status).toBe(201);
  expect(await logIn({ email: 'nobody@example.com' }, '10.0.1.1')).toMatchObject({
    status: 429,
    message: 'More than 6 logins from an address in a minute (setting LOGINS_PER_ADDRESS); wait a minute.',
  });
  expect((await logIn(bia, '10.0.1.2')).status).toBe(201);
  await strict.close();
});

test('logins with an e-mail address without an account have the limit of an account', async () => {
  const strict = await createConsole({ ...world.config, LOGINS_PER_MINUTE: 2 });
  const call = async (email: string) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ email, password: 'wrong' });
    return (await fetch(`${strict.url}/manage/v1/session`, { ...init, body })).status;
  };
  const { email } = await world.addPerson();
  for (const address of [email, 'nobody-has-this@example.com']) {
    expect([await call(address), await call(address), await call(address)]).toEqual([401, 401, 429]);
  }
  await strict.close();
});

test('concurrent logins of one account leave exactly SESSIONS_PER_ACCOUNT sessions', async () => {
  const strict = await createConsole({ ...world.config, SESSIONS_PER_ACCOUNT: 3 });
  const { email, password, id } = await world.addPerson();
  const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const logIn = () => fetch(`${strict.url}/manage/v1/session`, { ...init, body: JSON.stringify({ email, password }) });
  const answers = await Promise.all(Array.from({ length: 10 }, logIn));
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(201));
  expect(await world.store.rows('SELECT 1 FROM login_session WHERE account_id = ?', [id])).toHaveLength(3);
  await strict.close();
});
