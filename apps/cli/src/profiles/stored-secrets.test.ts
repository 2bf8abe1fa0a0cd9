import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useCliWorld } from '../../test/cli-world';
import { startFakeAPI } from '../../test/fake-api';

const SESSION = { token: 'bls_secret', expiresAt: '2030-01-01T00:00:00.000Z', mustChangePassword: false };
const PROCESSES = ['01920000-0000-7000-8000-000000000002', '01920000-0000-7000-8000-000000000003'] as const;
const [PROCESS, OTHER_PROCESS] = PROCESSES;
const RUN = { instanceID: 'i', status: 'started' };

const world = useCliWorld((url) => ({ BATUTA_CONSOLE_URL: url }));

const logIn = (email: string, ...more: string[]) =>
  world.user.json(['login', '--email', email, ...more], { input: 'pass word\n' });
const createKey = (process: string, ...more: string[]) =>
  world.user.json(['keys', 'create', process, 'cli', '--save', ...more]);
const storedProfile = () => JSON.parse(readFileSync(join(world.user.configFolder, 'profiles', 'default.json'), 'utf8'));

/** Starts the first process; resolves to the secret that the start was made with. */
async function secretOfStart(): Promise<string | undefined> {
  await world.user.json(['start', PROCESS]);
  return world.api.calls.at(-1)?.headers.authorization;
}

beforeEach(async () => {
  world.api.answers.set('POST /manage/v1/session', [{ status: 201, body: SESSION }]);
  world.api.answers.set('POST /manage/v1/credentials', [{ status: 201, body: { id: 'c', value: 'bat_ana' } }]);
  for (const id of PROCESSES) {
    world.api.answers.set(`POST /manage/v1/processes/${id}/keys`, [{ status: 201, body: { id, value: `bpk_${id}` } }]);
    world.api.answers.set(`POST /manage/v1/processes/${id}/run`, [{ body: RUN }]);
    world.api.answers.set(`POST /v1/processes/${id}/start`, [{ body: RUN }]);
  }
  await logIn('ana@example.com', '--gateway', world.api.url);
  await world.user.json(['credentials', 'create', 'CLI', '--save']);
});

test('a key that is stored for another gateway takes no key of the first gateway there', async () => {
  await createKey(PROCESS);
  const other = await startFakeAPI();
  await createKey(OTHER_PROCESS, '--gateway', other.url);
  await other.close();
  expect(storedProfile()).toMatchObject({ gateway: other.url });
  expect(storedProfile().processKeys).toEqual({ [OTHER_PROCESS]: `bpk_${OTHER_PROCESS}` });
});

test('the keys that two simultaneous commands create are both stored', async () => {
  await Promise.all(PROCESSES.map((process) => createKey(process)));
  expect(Object.keys(storedProfile().processKeys).toSorted()).toEqual(PROCESSES);
});

describe('a profile that another program changes', () => {
  beforeEach(() => {
    const open = fs.openSync;
    const profile = storedProfile();
    const path = join(world.user.configFolder, 'profiles', 'default.json');
    const locks: unknown[] = [];
    jest.spyOn(fs, 'openSync').mockImplementation((file, ...more) => {
      if (!String(file).endsWith('.lock') || locks.push(file) > 1) return open(file, ...more);
      fs.writeFileSync(path, JSON.stringify({ ...profile, processKeys: { [OTHER_PROCESS]: 'bpk_other' } }));
      throw Object.assign(new Error('EEXIST: the other program has it'), { code: 'EEXIST' });
    });
  });
  afterEach(() => jest.restoreAllMocks());

  test('what another program stores in the profile at the same time stays there', async () => {
    await createKey(PROCESS);
    expect(storedProfile().processKeys).toEqual({ [PROCESS]: `bpk_${PROCESS}`, [OTHER_PROCESS]: 'bpk_other' });
  });
});

describe('a lock that another program has', () => {
  let lock: string;
  let pauses: jest.SpyInstance;
  let removals: jest.SpyInstance;
  beforeEach(() => {
    lock = join(world.user.configFolder, 'profiles', 'default.json.lock');
    fs.writeFileSync(lock, '');
    pauses = jest.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    removals = jest.spyOn(fs, 'rmSync');
  });
  afterEach(() => jest.restoreAllMocks());

  test('a lock that a killed program has left behind is taken over', async () => {
    await createKey(PROCESS);
    expect(storedProfile().processKeys).toEqual({ [PROCESS]: `bpk_${PROCESS}` });
    expect(pauses.mock.calls.length).toBeGreaterThan(100);
    expect(fs.readdirSync(join(world.user.configFolder, 'profiles'))).toEqual(['default.json']);
  });

  test('a lock that programs have one after the other is not taken over', async () => {
    const turns = 400;
    pauses.mockImplementation(() => {
      fs.unlinkSync(lock);
      const turn = pauses.mock.calls.length;
      if (turn < turns) fs.writeFileSync(lock, '');
      if (turn < turns) fs.utimesSync(lock, turn, turn);
      return 'timed-out';
    });
    await createKey(PROCESS);
    expect(pauses).toHaveBeenCalledTimes(turns);
    // The one removal is the release after the work; a take-over would be another one.
    expect(removals.mock.calls.filter(([path]) => path === lock)).toHaveLength(1);
  });
});

test('whoever logs in as another account starts nothing with the credential of the first one', async () => {
  await createKey(PROCESS);
  expect(await secretOfStart()).toBe('Bearer bat_ana');
  await logIn('Ana@example.com');
  expect(await secretOfStart()).toBe('Bearer bat_ana');
  await logIn('bob@example.com');
  expect(await secretOfStart()).toBe('Bearer bls_secret');
  expect(JSON.stringify(storedProfile())).not.toMatch(/bat_ana|bpk_/);
});

test('logout ends the session of BATUTA_TOKEN and leaves the one that the profile has', async () => {
  await world.user.json(['logout'], { env: { BATUTA_TOKEN: 'bls_other' } });
  expect(world.api.calls.at(-1)).toMatchObject({
    line: 'DELETE /manage/v1/session',
    headers: { authorization: 'Bearer bls_other' },
  });
  expect(storedProfile()).toMatchObject({ token: 'bls_secret' });
});

describe('credential of the environment', () => {
  const ID = '01920000-0000-7000-8000-000000000009';
  const env = { BATUTA_CREDENTIAL: 'bat_build', BATUTA_PROCESS_KEY: 'bpk_build' };
  beforeEach(() => {
    world.api.answers.set(`GET /v1/instances/${ID}`, [{ body: { instanceID: ID, status: 'running' } }]);
    world.api.answers.set('GET /v1/schedules', [{ body: { schedules: [] } }]);
    world.api.answers.set('POST /v1/schedules', [{ status: 201, body: { id: ID } }]);
    world.api.answers.set(`PATCH /v1/schedules/${ID}`, [{ body: { ok: true } }]);
    world.api.answers.set(`DELETE /v1/schedules/${ID}`, [{ body: { ok: true } }]);
  });

  test.each([
    ['start', PROCESS],
    ['runs', 'show', ID],
    ['schedules', 'list', PROCESS],
    ['schedules', 'create', PROCESS, '--name', 'Daily', '--cron', '0 8 * * *'],
    ['schedules', 'switch', ID, 'off'],
    ['schedules', 'delete', ID],
  ])('BATUTA_CREDENTIAL comes before the login of the profile, which may have expired: %s %s', async (...command) => {
    const before = world.api.calls.length;
    await world.user.json(command, { env });
    const secrets = world.api.calls.slice(before).map(({ headers }) => headers.authorization);
    expect(secrets).toEqual(['Bearer bat_build']);
  });

  test('BATUTA_TOKEN comes before BATUTA_CREDENTIAL', async () => {
    world.api.answers.set(`GET /manage/v1/instances/${ID}`, [{ body: { instanceID: ID, status: 'running' } }]);
    await world.user.json(['runs', 'show', ID], { env: { ...env, BATUTA_TOKEN: 'bls_build' } });
    expect(world.api.calls.at(-1)?.headers.authorization).toBe('Bearer bls_build');
  });

  test('a schedule of BATUTA_CREDENTIAL without a process key is made by the account that is logged in, as a start is', async () => {
    world.api.answers.set(`POST /manage/v1/processes/${PROCESS}/schedules`, [{ status: 201, body: { id: ID } }]);
    const command = ['schedules', 'create', PROCESS, '--name', 'Daily', '--cron', '0 8 * * *'];
    await world.user.json(command, { env: { BATUTA_CREDENTIAL: 'bat_build' } });
    expect(world.api.calls.at(-1)?.headers.authorization).toBe('Bearer bls_secret');
  });
});

describe('file systems that refuse a call', () => {
  const fail = (code: string) => () => {
    throw Object.assign(new Error(`${code}: it is`), { code });
  };
  afterEach(() => jest.restoreAllMocks());

  describe('a disk that takes only a part of the bytes', () => {
    beforeEach(() => {
      const write = fs.writeSync;
      const someBytes = (file: number, bytes: Uint8Array) => write(file, bytes.subarray(0, 50));
      jest.spyOn(fs, 'writeSync').mockImplementation((file, text) => someBytes(file, Buffer.from(text)));
    });

    test('a profile is stored whole or not at all when the disk takes only a part of its bytes', async () => {
      await createKey(PROCESS);
      expect(storedProfile()).toMatchObject({ credential: 'bat_ana', processKeys: { [PROCESS]: `bpk_${PROCESS}` } });
    });
  });

  describe('a full disk', () => {
    beforeEach(() => {
      jest.spyOn(fs, 'fsyncSync').mockImplementation(fail('ENOSPC'));
    });

    test.each([
      ['credentials', 'create', 'CLI'],
      ['keys', 'create', PROCESS, 'cli'],
    ])('a secret that cannot be stored is named with the command that revokes it: %s', async (...command) => {
      const { status, stdout, stderr } = await world.user.run([...command, '--save']);
      expect([status, stdout]).toEqual([1, '']);
      expect(stderr).toContain('batuta: The secret is created, but cannot be stored: ENOSPC');
      expect(stderr).toContain(`\n  batuta ${command[0]} revoke `);
    });
  });

  describe('a file system that takes no change', () => {
    beforeEach(() => {
      fs.chmodSync(join(world.user.configFolder, 'profiles', 'default.json'), 0o644);
      jest.spyOn(fs, 'chmodSync').mockImplementation(fail('EROFS'));
    });

    test('a profile that other users may read is used also where nothing can make it private', async () => {
      const { status, stderr } = await world.user.run(['start', PROCESS]);
      expect([status, stderr]).toEqual([0, expect.stringContaining('cannot be made private')]);
    });
  });
});

test('a profile that an editor of Windows has saved with a byte order mark is read', async () => {
  const path = join(world.user.configFolder, 'profiles', 'default.json');
  fs.writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8')}`);
  expect(await secretOfStart()).toBe('Bearer bls_secret');
});
