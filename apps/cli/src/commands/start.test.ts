import { holdTimers } from '../../../../test/support/held-timers';
import { waitUntil } from '../../../../test/support/wait-until';
import { useCliWorld } from '../../test/cli-world';
import { refusalAnswer } from '../../test/fake-api';

const PROCESS = '01920000-0000-7000-8000-000000000001';
const RUN = '01920000-0000-7000-8000-000000000002';
const NOTE =
  'A start with this idempotency key was accepted before, by an earlier command or an attempt of this one: this is its run, with its values.\n';

const world = useCliWorld((url) => ({
  BATUTA_GATEWAY_URL: url,
  BATUTA_CREDENTIAL: 'bat_secret',
  BATUTA_PROCESS_KEY: 'bpk_secret',
}));

test.each([
  ['the run of an earlier start is followed by a note', true, NOTE],
  ['the run of a first start is followed by no note', undefined, ''],
])('with --idempotency-key %s', async (_what, replayed, stderr) => {
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [
    { body: { instanceID: RUN, status: 'started', ...(replayed && { replayed }) } },
  ]);
  expect(await world.user.run(['start', PROCESS, '--idempotency-key', 'order-1'])).toEqual({
    status: 0,
    stdout: `${RUN} started\n`,
    stderr,
  });
});

describe('an idempotency key of other values', () => {
  const body = { instanceID: RUN, status: 'started', replayed: true };
  beforeEach(() => {
    world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [
      { body, headers: { 'Idempotency-Mismatch': 'true' } },
    ]);
  });

  test('a start whose idempotency key was used with other values is followed by a warning that those of the command are not used', async () => {
    expect(await world.user.run(['start', PROCESS, '--idempotency-key', 'order-1'])).toEqual({
      status: 0,
      stdout: `${RUN} started\n`,
      stderr: `${NOTE}Warning: the first start with this idempotency key had other values or another environment, and those of this command are not used.\n`,
    });
  });

  test('a start whose idempotency key was used with other values has mismatch in its JSON', async () => {
    const { stdout } = await world.user.run(['start', PROCESS, '--idempotency-key', 'order-1', '--json']);
    expect(JSON.parse(stdout)).toEqual({ ...body, mismatch: true });
  });
});

test('a start with a credential and without a process key asks for the key', async () => {
  const { status, stderr } = await world.user.run(['start', PROCESS], { env: { BATUTA_PROCESS_KEY: '' } });
  expect([status, stderr]).toEqual([2, 'batuta: Without a login a start needs a process key.\n  BATUTA_PROCESS_KEY\n']);
  expect(world.api.calls).toEqual([]);
});

test.each(['BATUTA_CREDENTIAL', 'BATUTA_PROCESS_KEY'])(
  'a %s with an invisible character is wrong usage',
  async (name) => {
    const { status, stderr } = await world.user.run(['start', PROCESS], { env: { [name]: 'secret\u200b' } });
    expect([status, stderr]).toEqual([2, expect.stringContaining('has a character that a header cannot carry')]);
    expect(world.api.calls).toEqual([]);
  },
);

test('a credential that the public API refuses is not mistaken for a login', async () => {
  const body = { error: { code: 'INVALID_CREDENTIAL', message: 'Authorization: the account credential is not known' } };
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ status: 401, body }]);
  const { status, stderr } = await world.user.run(['start', PROCESS]);
  expect(status).toBe(3);
  expect(stderr).toContain('\n  another credential: BATUTA_CREDENTIAL, or batuta credentials create <label> --save\n');
  expect(stderr).not.toContain('batuta login');
});

test.each([
  [[], `${RUN} started\nThe run continues: batuta runs show ${RUN}\n`],
  [
    ['--json'],
    `${JSON.stringify({ error: { code: 'INTERRUPTED', message: `The run continues: batuta runs show ${RUN}`, exitCode: 130, instanceID: RUN } })}\n`,
  ],
])('a start with --wait and %j that is interrupted names its run', async (options, stderr) => {
  const interruption = new AbortController();
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  world.api.answers.set(`GET /v1/instances/${RUN}`, [{ body: { instanceID: RUN, status: 'running' } }]);
  const command = world.user.run(['start', PROCESS, '--wait', ...options], { signal: interruption.signal });
  await waitUntil('the run is awaited', () => world.api.calls.length > 1);
  interruption.abort();
  expect(await command).toEqual({ status: 130, stdout: '', stderr });
});

describe('outage of the API', () => {
  const outage = { status: 503, body: '<h1>Service Unavailable</h1>' };
  const running = { body: { instanceID: RUN, status: 'running' } };
  let passed: number;
  beforeEach(() => {
    passed = 0;
    const now = Date.now;
    jest.spyOn(Date, 'now').mockImplementation(() => now() + passed);
    jest.spyOn(Math, 'random').mockReturnValue(0);
    world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  });
  afterEach(() => jest.restoreAllMocks());

  /** Starts with --wait, and lets its time pass when the state of the run has been asked for this often. */
  async function waitUntilTimePasses(asked: number, ...options: string[]) {
    const command = world.user.run(['start', PROCESS, '--wait', '--within', '60', ...options]);
    const states = () => world.api.calls.filter(({ line }) => line === `GET /v1/instances/${RUN}`);
    await waitUntil('the outage has begun', () => states().length >= asked);
    passed = 60_000;
    return command;
  }

  test('a start with --wait awaits the end of its run after more failures than the attempts of one call', async () => {
    const ended = { body: { instanceID: RUN, status: 'success', finishedAt: '2026-01-05T12:00:00.000Z' } };
    world.api.answers.set(`GET /v1/instances/${RUN}`, [running, ...Array.from({ length: 6 }, () => outage), ended]);
    const { status, stdout } = await world.user.run(['start', PROCESS, '--wait']);
    expect([status, stdout]).toEqual([0, expect.stringContaining('success')]);
  });

  test('a start with --wait names the run, its last state and how to go on when an outage of the API lasts too long', async () => {
    world.api.answers.set(`GET /v1/instances/${RUN}`, [running, outage]);
    expect(await waitUntilTimePasses(2)).toEqual({
      status: 5,
      stdout: '',
      stderr: `${RUN} started\nbatuta: UNREADABLE: The answer with status 503 is none of the API.\n  the run was running and continues: batuta runs wait ${RUN}\n`,
    });
  });

  test('a start with --follow names the run and its last state when its time passes during an outage of the API', async () => {
    const body = `event: status\nid: 1\ndata: ${JSON.stringify(running.body)}\n\n`;
    const stream = { body, headers: { 'content-type': 'text/event-stream' } };
    world.api.answers.set(`GET /v1/instances/${RUN}/events`, [stream, outage]);
    world.api.answers.set(`GET /v1/instances/${RUN}`, [outage]);
    const deadline = holdTimers(61_000);
    const command = world.user.run(['start', PROCESS, '--follow', '--within', '61']);
    // The second stream is asked for when the first one has been read.
    const streams = () => world.api.calls.filter(({ line }) => line.endsWith('/events'));
    await waitUntil('the outage has begun', () => streams().length > 1).finally(() => deadline.release());
    deadline.fire();
    const { status, stderr } = await command;
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining(`\n  the run was running and continues: batuta runs wait ${RUN}\n`),
    ]);
  });

  test('a start with --wait does not say that the run continues when the API has reported no state of it', async () => {
    world.api.answers.set(`GET /v1/instances/${RUN}`, [outage]);
    const { status, stderr } = await waitUntilTimePasses(1);
    expect([status, stderr]).toEqual([
      5,
      expect.stringContaining(`\n  the state of the run is unknown: batuta runs wait ${RUN}\n`),
    ]);
  });

  test('a start with --wait that an outage of the API ends has the id of the run in the JSON of its error', async () => {
    world.api.answers.set(`GET /v1/instances/${RUN}`, [running, outage]);
    const { stderr } = await waitUntilTimePasses(2, '--json');
    expect(JSON.parse(stderr)).toMatchObject({ error: { exitCode: 5, instanceID: RUN } });
  });
});

test('a start with --follow ends when --within has passed, and says that the run continues', async () => {
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  const body = `event: status\nid: 1\ndata: ${JSON.stringify({ instanceID: RUN, status: 'running' })}\n\n`;
  world.api.answers.set(`GET /v1/instances/${RUN}/events`, [
    { body, headers: { 'content-type': 'text/event-stream' } },
  ]);
  world.api.answers.set(`GET /v1/instances/${RUN}`, [{ body: { instanceID: RUN, status: 'running' } }]);
  const deadline = holdTimers(61_000);
  const command = world.user.run(['start', PROCESS, '--follow', '--within', '61']);
  // The second stream is asked for when the first one has been read.
  const streams = () => world.api.calls.filter(({ line }) => line.endsWith('/events'));
  await waitUntil('the first stream has been read', () => streams().length > 1).finally(() => deadline.release());
  deadline.fire();
  expect(await command).toEqual({
    status: 8,
    stdout: '',
    stderr: `${RUN} started\n— running\nbatuta: The run ${RUN} is still running.\n  it continues: batuta runs show ${RUN}\n`,
  });
});

test.each([
  ['--wait', 6_000],
  ['--follow', 5_000],
])('a start with %s ends soon after --within, although the API demands a longer pause', async (option, limitMs) => {
  const paused = refusalAnswer(429, 'RATE_LIMITED', { 'retry-after': '50' });
  const body = `event: status\nid: 1\ndata: ${JSON.stringify({ instanceID: RUN, status: 'running' })}\n\n`;
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  world.api.answers.set(`GET /v1/instances/${RUN}`, [paused]);
  world.api.answers.set(`GET /v1/instances/${RUN}/events`, [
    { body, headers: { 'content-type': 'text/event-stream' } },
  ]);
  const limit = holdTimers(limitMs);
  try {
    const command = world.user.run(['start', PROCESS, option, '--within', '1']);
    await waitUntil('the state is asked for', () => world.api.calls.at(-1)?.line === `GET /v1/instances/${RUN}`);
    limit.fire();
    expect(await command).toMatchObject({ status: 5, stderr: expect.stringContaining(`batuta runs wait ${RUN}`) });
  } finally {
    limit.release();
  }
});

describe('awaited run', () => {
  const event = (id: number, body: object) => `event: status\nid: ${id}\ndata: ${JSON.stringify(body)}\n\n`;
  const streamOf = (...bodies: object[]) => ({
    body: bodies.map((body, index) => event(index + 1, body)).join(''),
    headers: { 'content-type': 'text/event-stream' },
  });
  const running = { instanceID: RUN, status: 'running' };
  beforeEach(() => {
    world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  });

  test('a start asks for the state of its run no more once --follow has shown the end', async () => {
    const ended = { instanceID: RUN, status: 'success', finishedAt: '2026-01-05T12:00:00.000Z' };
    world.api.answers.set(`GET /v1/instances/${RUN}/events`, [streamOf(running, ended)]);
    const { status } = await world.user.run(['start', PROCESS, '--follow']);
    expect([status, world.api.calls.map(({ line }) => line)]).toEqual([
      0,
      [`POST /v1/processes/${PROCESS}/start`, `GET /v1/instances/${RUN}/events`],
    ]);
  });

  test('a start has the exit code of a failed run also when the stream of --follow ended before the run', async () => {
    const ended = { instanceID: RUN, status: 'error', finishedAt: '2026-01-05T12:00:00.000Z' };
    world.api.answers.set(`GET /v1/instances/${RUN}/events`, [{ status: 204, body: '' }]);
    world.api.answers.set(`GET /v1/instances/${RUN}`, [{ body: ended }]);
    expect((await world.user.run(['start', PROCESS, '--follow'])).status).toBe(6);
  });

  test('a start names its run when the stream of --follow ended before the run and the state is refused', async () => {
    world.api.answers.set(`GET /v1/instances/${RUN}/events`, [{ status: 204, body: '' }]);
    world.api.answers.set(`GET /v1/instances/${RUN}`, [refusalAnswer(403, 'FORBIDDEN')]);
    const { status, stderr } = await world.user.run(['start', PROCESS, '--follow', '--json']);
    expect([status, JSON.parse(stderr)]).toMatchObject([4, { error: { code: 'FORBIDDEN', instanceID: RUN } }]);
  });

  describe.each([
    [403, 'FORBIDDEN', 4, []],
    [
      401,
      'CREDENTIAL_REVOKED',
      3,
      ['another credential: BATUTA_CREDENTIAL, or batuta credentials create <label> --save'],
    ],
  ])('refused with %i', (refused, code, exitCode, hints) => {
    const hint = [...hints, `the run: batuta runs show ${RUN}`].join('; ');
    beforeEach(() => {
      world.api.answers.set(`GET /v1/instances/${RUN}`, [{ body: running }, refusalAnswer(refused, code)]);
      world.api.answers.set(`GET /v1/instances/${RUN}/events`, [streamOf(running), refusalAnswer(refused, code)]);
    });

    test.each(['--wait', '--follow'])(
      'a start with %s that is refused the state of its run names the run and does not say that it continues',
      async (option) => {
        const { status, stderr } = await world.user.run(['start', PROCESS, option]);
        expect([status, stderr]).toEqual([exitCode, expect.stringContaining(`\n  ${hint}\n`)]);
        expect(stderr).not.toContain('continues');
      },
    );

    test.each(['--wait', '--follow'])(
      'a start with %s that is refused the state of its run has the id of the run in the JSON of its error',
      async (option) => {
        const { status, stderr } = await world.user.run(['start', PROCESS, option, '--json']);
        expect([status, JSON.parse(stderr)]).toMatchObject([exitCode, { error: { code, exitCode, instanceID: RUN } }]);
      },
    );
  });
});

test('the JSON of a start with --wait whose run is still going when --within has passed has the id of the run', async () => {
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [{ body: { instanceID: RUN, status: 'started' } }]);
  world.api.answers.set(`GET /v1/instances/${RUN}`, [{ body: { instanceID: RUN, status: 'running' } }]);
  const { status, stderr } = await world.user.run(['start', PROCESS, '--wait', '--within', '0', '--json']);
  expect(status).toBe(8);
  expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'STILL_RUNNING', exitCode: 8, instanceID: RUN } });
});

test('without --idempotency-key no note says that the repeated start was accepted at its first attempt', async () => {
  world.api.answers.set(`POST /v1/processes/${PROCESS}/start`, [
    { body: { instanceID: RUN, status: 'started', replayed: true } },
  ]);
  expect(await world.user.run(['start', PROCESS])).toEqual({ status: 0, stdout: `${RUN} started\n`, stderr: '' });
});
