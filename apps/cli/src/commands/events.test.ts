import { useCliWorld } from '../../test/cli-world';

const ID = '01920000-0000-7000-8000-000000000001';
const RUN = '01920000-0000-7000-8000-000000000002';
const BASE = '/manage/v1/company/event-subscriptions';
const SUBSCRIPTION = {
  id: ID,
  processID: null,
  url: 'https://erp.example.com/\u001b[2Jevents',
  events: ['instance.error'],
  enabled: false,
  disabledReason: 'gone',
  lastSuccessAt: null,
  waiting: 2,
  dead: 3,
  createdAt: '2026-11-20T12:00:00.000Z',
};

const world = useCliWorld();

const sent = (): unknown => JSON.parse(world.api.calls.at(-1)?.body ?? '');

test('the list says why the service switched a subscription off, and shows no control characters', async () => {
  world.api.answers.set(`GET ${BASE}`, [{ body: { subscriptions: [SUBSCRIPTION] } }]);
  const { status, stdout } = await world.user.run(['events', 'list']);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/instance\.error +- +off: gone +2 +3/)]);
  expect(stdout).not.toContain('\u001b');
  expect(await world.user.json(['events', 'list'])).toEqual({ subscriptions: [SUBSCRIPTION] });
});

test('a subscription is created for all events unless some are named, and its secret is shown', async () => {
  world.api.answers.set(`POST ${BASE}`, [{ status: 201, body: { ...SUBSCRIPTION, secret: 'whsec_abc' } }]);
  expect(await world.user.run(['events', 'create', 'https://erp.example.com/'])).toMatchObject({
    status: 0,
    stdout: `${ID}\nwhsec_abc\n`,
  });
  expect(sent()).toMatchObject({ processID: null, events: expect.arrayContaining(['instance.success']) });
  const named = ['--event', 'instance.error', '--event', 'instance.stopped', '--process', RUN];
  expect(await world.user.json(['events', 'create', 'https://erp.example.com/', ...named])).toMatchObject({ id: ID });
  expect(sent()).toEqual({
    url: 'https://erp.example.com/',
    events: ['instance.error', 'instance.stopped'],
    processID: RUN,
  });
  const calls = world.api.calls.length;
  expect(await world.user.run(['events', 'create', 'https://erp.example.com/', '--event', 'error'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('must be one of instance.success'),
  });
  expect(world.api.calls).toHaveLength(calls);
});

test('a test that the address does not accept ends with the exit code of a refusal', async () => {
  const result = { ok: false, status: 500, error: 'the address answered 500', durationMs: 7 };
  world.api.answers.set(`POST ${BASE}/${ID}/test`, [{ body: { ...result, ok: true, status: 204 } }, { body: result }]);
  expect(await world.user.run(['events', 'test', ID])).toMatchObject({ status: 0, stdout: 'Status 204 after 7 ms.\n' });
  const failed = await world.user.run(['events', 'test', ID, '--json']);
  expect([failed.status, JSON.parse(failed.stdout)]).toEqual([4, result]);
  expect(failed.stderr).toContain('the address answered 500');
});

test('a subscription is switched, rotated and removed', async () => {
  world.api.answers.set(`PATCH ${BASE}/${ID}`, [{ body: SUBSCRIPTION }]);
  world.api.answers.set(`POST ${BASE}/${ID}/secret`, [{ status: 201, body: { ...SUBSCRIPTION, secret: 'whsec_new' } }]);
  world.api.answers.set(`DELETE ${BASE}/${ID}`, [{ body: { ok: true } }]);
  expect(await world.user.run(['events', 'switch', ID, 'on'])).toMatchObject({ status: 0 });
  expect(sent()).toEqual({ enabled: true });
  expect(await world.user.run(['events', 'switch', ID, 'up'])).toMatchObject({ status: 2 });
  expect(await world.user.run(['events', 'rotate', ID])).toMatchObject({ status: 0, stdout: 'whsec_new\n' });
  expect(await world.user.json(['events', 'remove', ID])).toEqual({ id: ID, removed: true });
});

test('deliveries are read page by page until there are as many as asked for', async () => {
  const delivery = { instanceID: RUN, processID: ID, event: 'instance.error', status: 'dead', attempts: 10 };
  const rest = { nextAttemptAt: null, lastStatus: 503, lastError: 'busy', createdAt: '', settledAt: null };
  const page = { deliveries: [{ ...delivery, ...rest }], older: { before: 'cursor' } };
  world.api.answers.set(`GET ${BASE}/${ID}/deliveries`, [{ body: page }]);
  const args = ['events', 'deliveries', ID, '--status', 'dead', '--limit', '3'];
  expect(await world.user.json(args)).toMatchObject({ deliveries: [delivery, delivery, delivery] });
  expect(world.api.calls).toHaveLength(3);
  expect((await world.user.run(args)).stdout).toMatch(new RegExp(`${RUN} +instance.error +dead +10 +503 +- +busy`));
  expect(await world.user.run(['events', 'deliveries', ID, '--status', 'lost'])).toMatchObject({ status: 2 });
});

test('dead deliveries are sent again all together or of one run, and only when one of them is asked for', async () => {
  world.api.answers.set(`POST ${BASE}/${ID}/deliveries/redeliver`, [{ body: { redelivered: 3 } }]);
  world.api.answers.set(`POST ${BASE}/${ID}/deliveries/${RUN}/redeliver`, [{ body: { redelivered: 1 } }]);
  expect(await world.user.json(['events', 'redeliver', ID, '--all-dead'])).toEqual({ redelivered: 3 });
  expect(await world.user.json(['events', 'redeliver', ID, '--run', RUN])).toEqual({ redelivered: 1 });
  const calls = world.api.calls.length;
  for (const both of [[], ['--all-dead', '--run', RUN]]) {
    expect(await world.user.run(['events', 'redeliver', ID, ...both])).toMatchObject({ status: 2 });
  }
  expect(world.api.calls).toHaveLength(calls);
});
