import { ApiError } from '@batuta/errors';
import { UNKNOWN_ID, addProcess, callerOf } from '../../test/processes';
import { createWorld, requireText, type ConsoleWorld, type TestPerson } from '../../test/world';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});

afterAll(() => world?.close());

beforeEach(() => {
  world.fakeEvents.refusal = undefined;
  world.fakeEvents.next = undefined;
  world.fakeEvents.deliveries = [];
});

const PATH = '/company/event-subscriptions';
const DRAFT = { url: 'https://erp.example.com/events?tenant=1', events: ['instance.error'] };
const requestOf = (name: string) => world.fakeEvents.requests.findLast(([each]) => each === name)?.[1];
const administrator = () => world.addPerson({ role: 'administrator' });

async function subscribe(admin: TestPerson): Promise<{ path: string; id: string }> {
  const id = requireText((await admin.must('POST', PATH, DRAFT)).id);
  return { path: `${PATH}/${id}`, id };
}

test('an event subscription is created with the defaults, and only the answer of its creation has the secret', async () => {
  const ana = await administrator();
  const created = await ana.call('POST', PATH, DRAFT);
  expect(requestOf('create')).toEqual({ ...DRAFT, processID: null, enabled: true });
  const { secret, ...subscription } = created.body;
  expect([created.status, created.headers.get('cache-control'), secret]).toEqual([
    201,
    'no-store',
    expect.stringMatching(/^whsec_/),
  ]);
  expect(subscription).toEqual({
    ...DRAFT,
    id: expect.any(String),
    processID: null,
    enabled: true,
    disabledReason: null,
    lastSuccessAt: null,
    waiting: 0,
    dead: 0,
    createdAt: expect.any(String),
  });
  expect(await ana.must('GET', PATH)).toEqual({ subscriptions: [subscription] });
  expect(await ana.must('GET', `${PATH}/${requireText(subscription.id)}`)).toEqual(subscription);
});

test('every field of an event subscription can be chosen', async () => {
  const ana = await administrator();
  const processID = await addProcess(await world.addPerson({ companyID: ana.companyID }));
  const chosen = { events: ['instance.success', 'instance.stopped'], processID, enabled: false };
  expect(await ana.must('POST', PATH, { ...DRAFT, ...chosen })).toMatchObject(chosen);
  expect(requestOf('create')).toEqual({ ...DRAFT, ...chosen });
});

test('a change of an event subscription forwards the fields that it names, and its answer has no secret', async () => {
  const ana = await administrator();
  const processID = await addProcess(ana);
  const { path } = await subscribe(ana);
  const state = await ana.must('GET', path);
  for (const change of [
    { url: 'https://other.example.com/' },
    { events: ['instance.terminated'] },
    { processID },
    { processID: null },
    { enabled: false },
  ]) {
    expect(await ana.must('PATCH', path, change)).toEqual(Object.assign(state, change));
    expect(requestOf('change')).toEqual(change);
  }
});

const KNOWN =
  'instance.success, instance.error, instance.terminated, instance.stopped, schedule.failed, schedule.skipped';

test.each<[string, Record<string, unknown>]>([
  ['url: must be a text', { url: 1 }],
  ['url: is empty', { url: '' }],
  ['url: is longer than 2000 characters', { url: `https://a.example/${'x'.repeat(2_000)}` }],
  ['url: must be a URL that begins with https://', { url: 'erp.example.com' }],
  ['url: must be a URL that begins with https://', { url: 'ftp://erp.example.com' }],
  ['url: must be a URL that begins with https://', { url: 'https://' }],
  ['url: must be a URL that begins with https://', { url: 'https://a.example/\n' }],
  ['events: must be a list', { events: 'instance.error' }],
  ['events: has more than 6 items', { events: Array.from({ length: 7 }, () => 'instance.error') }],
  [`events: must have at least one of ${KNOWN}, and nothing else`, { events: [] }],
  [`events: must have at least one of ${KNOWN}, and nothing else`, { events: ['instance.error', 'instance.running'] }],
  [`events: must have at least one of ${KNOWN}, and nothing else`, { events: [{}] }],
  ['processID: is not an id', { processID: 'x' }],
  ['processID: the company has no such process', { processID: UNKNOWN_ID }],
  ['enabled: must be true or false', { enabled: 'sim' }],
  ['secret: is not a known field', { secret: 'whsec_mine' }],
])('a new event subscription and a change of one are refused with: %s', async (message, fields) => {
  const ana = await administrator();
  const refused = { error: '400 BAD_REQUEST', message };
  expect(await ana.refusal('POST', PATH, { ...DRAFT, ...fields })).toEqual(refused);
  expect(await ana.must('GET', PATH)).toEqual({ subscriptions: [] });
  const { path } = await subscribe(ana);
  expect(await ana.refusal('PATCH', path, fields)).toEqual(refused);
  expect(await ana.must('GET', path)).toMatchObject(DRAFT);
});

test('an event subscription needs an address and events, and a change of one needs at least one field', async () => {
  const ana = await administrator();
  const required = (field: string) => ({ error: '400 BAD_REQUEST', message: `${field}: is required` });
  expect(await ana.refusal('POST', PATH, { events: DRAFT.events })).toEqual(required('url'));
  expect(await ana.refusal('POST', PATH, { url: DRAFT.url })).toEqual(required('events'));
  const { path } = await subscribe(ana);
  expect(await ana.refusal('PATCH', path, {})).toMatchObject({ message: 'body: has no field to change' });
});

test('an event subscription to a process of another company is refused like one to a process that does not exist', async () => {
  const [ana, stranger] = [await administrator(), await administrator()];
  const processID = await addProcess(stranger);
  // A share gives access to the process, but the process still belongs to another company.
  await stranger.must('PUT', `/processes/${processID}/shares/${ana.email}`, { edit: true });
  const refused = { error: '400 BAD_REQUEST', message: 'processID: the company has no such process' };
  expect(await ana.refusal('POST', PATH, { ...DRAFT, processID })).toEqual(refused);
  const { path } = await subscribe(ana);
  expect(await ana.refusal('PATCH', path, { processID })).toEqual(refused);
});

test('a refusal of the webhook service to create an event subscription is passed on', async () => {
  const ana = await administrator();
  world.fakeEvents.refusal = new ApiError('BAD_REQUEST', 'url: the host is not public');
  expect(await ana.refusal('POST', PATH, DRAFT)).toEqual({
    error: '400 BAD_REQUEST',
    message: 'url: the host is not public',
  });
});

test('the rotation of the secret of an event subscription shows another secret once', async () => {
  const ana = await administrator();
  const { id, secret, ...subscription } = await ana.must('POST', PATH, DRAFT);
  const rotated = await ana.call('POST', `${PATH}/${requireText(id)}/secret`);
  expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([201, 'no-store']);
  expect(rotated.body).toEqual({ id, ...subscription, secret: expect.stringMatching(/^whsec_/) });
  expect(rotated.body.secret).not.toBe(secret);
  expect(await ana.must('GET', `${PATH}/${requireText(id)}`)).toEqual({ id, ...subscription });
});

test('the test of an event subscription says how the address answered, with status 200 also when the address failed', async () => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  for (const result of [
    { ok: true, status: 204, error: null, durationMs: 12 },
    { ok: false, status: null, error: 'no connection: ECONNREFUSED', durationMs: 3 },
  ]) {
    world.fakeEvents.testResult = result;
    expect(await ana.call('POST', `${path}/test`)).toMatchObject({ status: 200, body: result });
  }
});

test('deliveries of an event subscription come page by page and are filtered by status', async () => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  const delivery = {
    instanceID: UNKNOWN_ID,
    processID: UNKNOWN_ID,
    event: 'instance.error' as const,
    status: 'dead' as const,
    attempts: 10,
    nextAttemptAt: null,
    lastStatus: 503,
    lastError: 'the address answered 503',
    createdAt: '2026-11-20T12:00:00.000Z',
    settledAt: '2026-11-23T12:00:00.000Z',
  };
  world.fakeEvents.deliveries = [delivery];
  const cursor = `2026-11-20T12:00:00.000Z_${UNKNOWN_ID}`;
  world.fakeEvents.next = cursor;
  expect(await ana.must('GET', `${path}/deliveries?status=dead&limit=1`)).toEqual({
    deliveries: [delivery],
    older: { before: cursor },
  });
  expect(requestOf('deliveries')).toEqual({ status: 'dead', limit: 1 });
  world.fakeEvents.next = undefined;
  const last = await ana.must('GET', `${path}/deliveries?before=${encodeURIComponent(cursor)}`);
  expect(last).toEqual({ deliveries: [delivery] });
  expect(requestOf('deliveries')).toEqual({ before: cursor, limit: 100 });
});

test.each([
  ['status: must be one of waiting, delivered, dead', 'status=lost'],
  ['before: is empty', 'before='],
  ['before: is longer than 100 characters', `before=${'x'.repeat(101)}`],
  ['limit: must be a whole number from 1 to 500', 'limit=x'],
  ['company: is not a known field', 'company=x'],
])('a list of deliveries is refused with: %s', async (message, query) => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  expect(await ana.refusal('GET', `${path}/deliveries?${query}`)).toEqual({ error: '400 BAD_REQUEST', message });
});

test('dead deliveries are sent again all together, or that of one instance', async () => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  expect(await ana.call('POST', `${path}/deliveries/redeliver`)).toMatchObject({
    status: 200,
    body: { redelivered: 1 },
  });
  expect(requestOf('redeliver')).toEqual({});
  expect(await ana.must('POST', `${path}/deliveries/${UNKNOWN_ID}/redeliver`)).toEqual({ redelivered: 1 });
  expect(requestOf('redeliver')).toEqual({ instanceID: UNKNOWN_ID });
});

test('the webhook service is told which account and session change a subscription, so that it reads both again', async () => {
  const ana = await administrator();
  const before = world.fakeEvents.changedBy.length;
  const { path } = await subscribe(ana);
  await ana.must('PATCH', path, { enabled: false });
  await ana.must('POST', `${path}/secret`);
  await ana.must('POST', `${path}/deliveries/redeliver`);
  await ana.must('POST', `${path}/deliveries/${UNKNOWN_ID}/redeliver`);
  await ana.must('DELETE', path);
  expect(world.fakeEvents.changedBy.slice(before)).toEqual(Array.from({ length: 6 }, () => callerOf(ana)));
});

test('a removed event subscription is NOT_FOUND', async () => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  expect(await ana.must('DELETE', path)).toEqual({ ok: true });
  expect(await ana.must('GET', PATH)).toEqual({ subscriptions: [] });
  expect(await ana.refusal('DELETE', path)).toMatchObject({ error: '404 NOT_FOUND' });
});

const ROUTES_OF_ONE: [method: string, rest: string, body: object | undefined][] = [
  ['GET', '', undefined],
  ['PATCH', '', { enabled: false }],
  ['DELETE', '', undefined],
  ['POST', '/secret', undefined],
  ['POST', '/test', undefined],
  ['GET', '/deliveries', undefined],
  ['POST', '/deliveries/redeliver', undefined],
  ['POST', `/deliveries/${UNKNOWN_ID}/redeliver`, undefined],
];

test.each(ROUTES_OF_ONE)(
  '%s of a subscription%s is NOT_FOUND for another company, and refused to members, operators and strangers',
  async (method, rest, body) => {
    const ana = await administrator();
    const { path, id } = await subscribe(ana);
    const before = world.fakeEvents.requests.length;
    const notFound = { error: '404 NOT_FOUND', message: 'No such event subscription.' };
    const stranger = await administrator();
    for (const one of [path, `${PATH}/${UNKNOWN_ID}`, `${PATH}/x`]) {
      const refusal = await stranger.refusal(method, `${one}${rest}`, body);
      expect([one, refusal]).toEqual([one, notFound]);
    }
    const member = await world.addPerson({ companyID: ana.companyID });
    for (const one of [member, world.operator]) {
      expect(await one.refusal(method, `${path}${rest}`, body)).toMatchObject({ error: '403 FORBIDDEN' });
    }
    expect(await world.anonymous.refusal(method, `${path}${rest}`, body)).toMatchObject({
      error: '401 MISSING_CREDENTIAL',
    });
    // Only the requests of the stranger for a change reached the webhook service, which refused them.
    const requests = world.fakeEvents.requests.slice(before).filter(([name]) => name !== 'change');
    expect([requests, world.fakeEvents.subscriptions.get(id)]).toEqual([
      [],
      expect.objectContaining({ enabled: true }),
    ]);
  },
);

test.each([['GET'], ['POST']])(
  '%s of the list of subscriptions is refused to members, operators and anonymous callers',
  async (method) => {
    const member = await world.addPerson();
    const body = method === 'POST' ? DRAFT : undefined;
    for (const one of [member, world.operator]) {
      expect(await one.refusal(method, PATH, body)).toMatchObject({ error: '403 FORBIDDEN' });
    }
    expect(await world.anonymous.refusal(method, PATH, body)).toMatchObject({ error: '401 MISSING_CREDENTIAL' });
  },
);

test('a delivery whose instance id is malformed is NOT_FOUND', async () => {
  const ana = await administrator();
  const { path } = await subscribe(ana);
  expect(await ana.refusal('POST', `${path}/deliveries/x/redeliver`)).toMatchObject({ error: '404 NOT_FOUND' });
});
