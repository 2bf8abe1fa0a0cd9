import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { useCliWorld } from '../test/cli-world';
import { refusalAnswer, startFakeAPI } from '../test/fake-api';

const SESSION = { token: 'bls_secret', expiresAt: '2030-01-01T00:00:00.000Z', mustChangePassword: false };
const ACCOUNT = { accountID: 'a', email: 'ana@example.com', name: 'Ana', role: 'member', company: null };
const PROCESS_ID = '01920000-0000-7000-8000-000000000002';
const HOSTILE = '\u001b]0;owned\u0007\u001b[2JEvil\u202e\nname\u009b31m';

const world = useCliWorld(() => ({}));

beforeEach(() => {
  world.api.answers.set('POST /manage/v1/session', [{ status: 201, body: SESSION }]);
  world.api.answers.set('GET /manage/v1/me', [{ body: ACCOUNT }]);
});

const logIn = (...more: string[]) =>
  world.user.run(['login', '--console', world.api.url, '--email', 'ana@example.com', ...more], {
    input: 'pass word\n',
  });
const profilePath = () => join(world.user.configFolder, 'profiles', 'default.json');

describe('sessions', () => {
  test('a login on a terminal asks for the e-mail and, without echo, for the password', async () => {
    const result = await world.user.run(['login', '--console', world.api.url], {
      answers: ['ana@example.com', 'pass word'],
    });
    expect(result.status).toBe(0);
    expect(world.user.questions).toEqual([
      { question: 'E-mail: ', hidden: false },
      { question: 'Password of ana@example.com: ', hidden: true },
    ]);
    expect(JSON.parse(world.api.calls[0]?.body ?? '')).toEqual({ email: 'ana@example.com', password: 'pass word' });
  });

  test('a login stores the token in a file that only the user reads, whatever the umask', async () => {
    const before = process.umask(0);
    try {
      expect(await logIn()).toMatchObject({ status: 0, stderr: '' });
    } finally {
      process.umask(before);
    }
    expect(statSync(profilePath()).mode & 0o777).toBe(0o600);
    expect(statSync(join(world.user.configFolder, 'profiles')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(world.user.configFolder, 'profiles'))).toEqual(['default.json']);
    expect(await world.user.run(['whoami'])).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('ana@example.com'),
    });
    expect(world.api.calls.at(-1)?.headers.authorization).toBe('Bearer bls_secret');
  });

  test('the account of the session is shown with the name of its company, and as the API answers it with --json', async () => {
    await logIn();
    const account = { ...ACCOUNT, company: { id: 'c', name: 'Acme' } };
    world.api.answers.set('GET /manage/v1/me', [{ body: account }]);
    const { stdout } = await world.user.run(['whoami']);
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual(
      expect.arrayContaining([
        ['company', 'Acme'],
        ['companyID', 'c'],
      ]),
    );
    expect(JSON.parse((await world.user.run(['whoami', '--json'])).stdout)).toEqual(account);
  });

  test('a token file that other users may read is made private, with a warning', async () => {
    await logIn();
    chmodSync(profilePath(), 0o644);
    expect(await world.user.run(['whoami'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('private now'),
    });
    expect(statSync(profilePath()).mode & 0o777).toBe(0o600);
  });

  test('no secret is shown, and no option takes a password', async () => {
    const { stdout, stderr } = await logIn('--json');
    expect(stdout + stderr).not.toMatch(/bls_secret|pass word/);
    expect((await world.user.run(['profiles', 'list', '--json'])).stdout).not.toContain('bls_secret');
    expect(await logIn('--password', 'x')).toMatchObject({ status: 2 });
  });

  test('simultaneous logins to two profiles store both', async () => {
    await Promise.all(['one', 'two'].map((name) => logIn('--profile', name)));
    expect(await world.user.json(['profiles', 'list'])).toMatchObject({ profiles: [{ name: 'one' }, { name: 'two' }] });
    expect(await world.user.run(['profiles', 'use', 'two'])).toMatchObject({ status: 0 });
    expect(await world.user.json(['profiles', 'list'])).toMatchObject({ profiles: [{ used: false }, { used: true }] });
    expect(await world.user.run(['whoami'])).toMatchObject({ status: 0 });
    expect(await world.user.run(['profiles', 'remove', 'two'])).toMatchObject({ status: 0 });
    expect(await world.user.run(['whoami'])).toMatchObject({ status: 3 });
    expect(await world.user.run(['whoami', '--profile', '../one'])).toMatchObject({ status: 2 });
  });

  test('logout deletes the token also when the console does not answer', async () => {
    await logIn();
    world.api.answers.set('DELETE /manage/v1/session', [refusalAnswer(500, 'INTERNAL')]);
    expect(await world.user.run(['logout'])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('did not confirm'),
    });
    expect(readFileSync(profilePath(), 'utf8')).not.toContain('bls_secret');
  });
});

describe('interrupted logout', () => {
  test('a logout that is interrupted before the console answers keeps the token', async () => {
    await logIn();
    expect(await world.user.run(['logout'], { signal: AbortSignal.abort() })).toMatchObject({
      status: 130,
      stdout: '',
    });
    expect(readFileSync(profilePath(), 'utf8')).toContain('bls_secret');
  });
});

describe('secrets stay with their addresses', () => {
  test('a stored token is sent to no other console', async () => {
    await logIn();
    const other = await startFakeAPI();
    expect(await world.user.run(['whoami', '--console', other.url])).toMatchObject({ status: 3 });
    expect(await world.user.run(['whoami'], { env: { BATUTA_CONSOLE_URL: other.url } })).toMatchObject({ status: 3 });
    expect(other.calls).toEqual([]);
    await other.close();
  });

  test('an HTTP redirect is not followed', async () => {
    const other = await startFakeAPI();
    world.api.answers.set('POST /manage/v1/session', [
      { status: 307, headers: { location: `${other.url}/manage/v1/session` } },
    ]);
    expect(await logIn()).toMatchObject({
      status: 5,
      stderr: expect.stringContaining(`The address redirects to ${other.url}/manage/v1/session, which is not followed`),
    });
    expect(other.calls).toEqual([]);
    await other.close();
  });

  test('environment variables take precedence over the profile', async () => {
    await logIn();
    await world.user.run(['whoami'], { env: { BATUTA_TOKEN: 'bls_other' } });
    expect(world.api.calls.at(-1)?.headers.authorization).toBe('Bearer bls_other');
  });

  test('a token that no header can carry is refused at once as wrong usage, and not taken for a console that does not answer', async () => {
    await logIn();
    const { status, stderr } = await world.user.run(['whoami'], { env: { BATUTA_TOKEN: 'bls_other\u200b' } });
    expect([status, stderr]).toEqual([2, 'batuta: token: has a character that a header cannot carry\n']);
  });
});

describe('failures', () => {
  test('an expired session says how to log in again, with the request id', async () => {
    await logIn();
    world.api.answers.set('GET /manage/v1/me', [refusalAnswer(401, 'INVALID_CREDENTIAL')]);
    const { status, stdout, stderr } = await world.user.run(['whoami']);
    expect([status, stdout]).toEqual([3, '']);
    expect(stderr).toBe(
      'batuta: INVALID_CREDENTIAL: total: INVALID_CREDENTIAL it is\n  request id: r-17\n  log in: batuta login\n',
    );
  });

  test('an error as JSON has its code, its field, its request id and the exit code', async () => {
    await logIn();
    world.api.answers.set('POST /manage/v1/processes', [refusalAnswer(400, 'INVALID_NAME')]);
    const { status, stderr } = await world.user.run(['processes', 'create', 'x', '--json']);
    expect(status).toBe(4);
    const error = {
      code: 'INVALID_NAME',
      message: 'total: INVALID_NAME it is',
      exitCode: 4,
      status: 400,
      requestID: 'r-17',
    };
    expect(JSON.parse(stderr)).toEqual({ error });
  });

  test('a console that cannot be reached is named without a stack trace', async () => {
    await world.api.close();
    const { status, stderr } = await logIn();
    expect([status, stderr]).toEqual([
      5,
      expect.stringMatching(/^batuta: The API cannot be reached\. connect ECONNREFUSED .*\n$/),
    ]);
  });

  test('an answer that is not of the API is a failure of the server', async () => {
    await logIn();
    world.api.answers.set('POST /manage/v1/processes', [{ status: 502, body: '<h1>Bad Gateway</h1>' }]);
    expect(await world.user.run(['processes', 'create', 'x'])).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('UNREADABLE'),
    });
  });

  test('a call that is refused with Retry-After is repeated after that time', async () => {
    await logIn();
    const busy = refusalAnswer(429, 'RATE_LIMITED', { 'retry-after': '0' });
    world.api.answers.set('POST /manage/v1/processes', [busy, { status: 201, body: { processID: PROCESS_ID } }]);
    expect(await world.user.run(['processes', 'create', 'x'])).toEqual({
      status: 0,
      stdout: `${PROCESS_ID}\n`,
      stderr: '',
    });
    expect(world.api.calls.filter(({ line }) => line === 'POST /manage/v1/processes')).toHaveLength(2);
  });

  test('a Retry-After that is too long to wait for is shown', async () => {
    await logIn();
    world.api.answers.set('GET /manage/v1/me', [refusalAnswer(429, 'RATE_LIMITED', { 'retry-after': '3600' })]);
    expect(await world.user.run(['whoami'])).toMatchObject({
      status: 5,
      stderr: expect.stringContaining('try again in 3600 s'),
    });
  });

  test('a manual run without an answer is not repeated, because it may have started', async () => {
    await logIn();
    world.api.answers.set(`POST /manage/v1/processes/${PROCESS_ID}/run`, [{ body: 'half' }]);
    const { status, stderr } = await world.user.run(['start', PROCESS_ID]);
    expect([status, stderr]).toEqual([5, expect.stringContaining('may have started')]);
    expect(world.api.calls.filter(({ line }) => line.endsWith('/run'))).toHaveLength(1);
  });

  test('an interruption ends with exit code 130', async () => {
    await logIn();
    expect(await world.user.run(['whoami'], { signal: AbortSignal.abort() })).toMatchObject({
      status: 130,
      stderr: '',
    });
  });
});

describe('what other people wrote', () => {
  test('text that other people wrote is printed without its control characters', async () => {
    await logIn();
    const process = {
      processID: PROCESS_ID,
      processName: HOSTILE,
      currentVersion: 1,
      active: true,
      paused: false,
      owned: true,
    };
    world.api.answers.set('GET /manage/v1/processes', [{ body: { processes: [process] } }]);
    const { stdout } = await world.user.run(['processes', 'list'], { isTTY: true });
    expect(stdout).toContain('Evil name');
    const json = await world.user.run(['processes', 'list', '--json'], { isTTY: true });
    for (const text of [stdout, json.stdout])
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(JSON.parse(json.stdout)).toMatchObject({ processes: [{ processName: HOSTILE }] });
  });

  test('a log message cannot look like another line of the log', async () => {
    await logIn();
    const line = {
      timestamp: '2026-11-20T12:00:00.000Z',
      severity: 'INFO',
      stepID: 'a',
      message: `${HOSTILE}\n2026-11-20T12:00:01.000Z ERROR a: forged`,
    };
    world.api.answers.set('GET /manage/v1/instances/i/logs', [{ body: { logs: [line] } }]);
    const { stdout } = await world.user.run(['logs', 'i']);
    expect(stdout).toBe(
      '2026-11-20T12:00:00.000Z INFO    a: Evil\n    name\n    2026-11-20T12:00:01.000Z ERROR a: forged\n',
    );
  });

  test('a refusal of the server is shown without its control characters', async () => {
    await logIn();
    world.api.answers.set('GET /manage/v1/me', [
      { status: 400, body: { error: { code: 'BAD_REQUEST', message: HOSTILE } } },
    ]);
    expect((await world.user.run(['whoami'])).stderr).toBe('batuta: BAD_REQUEST: Evil\nname\n');
  });
});

describe('on a terminal', () => {
  test('errors are red unless NO_COLOR is set, and no progress is written into a pipe', async () => {
    const red = '\u001b[31mbatuta:\u001b[0m';
    expect((await world.user.run(['whoami'], { isTTY: true })).stderr).toContain(red);
    expect((await world.user.run(['whoami'], { isTTY: true, env: { NO_COLOR: '1' } })).stderr).not.toContain('\u001b');
    expect((await world.user.run(['whoami'])).stderr).not.toContain('\u001b');
  });
});
