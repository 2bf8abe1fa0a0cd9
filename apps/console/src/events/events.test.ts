import type { InstanceEnded } from '@batuta/contracts';
import { PeriodicTasks } from '@batuta/service';
import { waitUntil } from '../../../../test/support/wait-until';
import { FakeExecution } from '../../test/fake-execution';
import { UNKNOWN_ID } from '../../test/processes';
import { createWorld, type TestPerson, type ConsoleWorld } from '../../test/world';

const { instance, line } = FakeExecution;
const ENDED: InstanceEnded = {
  instanceID: instance.instanceID,
  processID: instance.processID,
  processName: instance.processName,
  status: 'success',
  startedAt: '2026-11-20T12:00:00.000Z',
  finishedAt: '2026-11-20T12:00:01.000Z',
  durationSeconds: 1,
  errorStep: null,
  errorMessage: null,
  savingsValue: 0,
  fteHours: 0,
  version: '1',
};
const PATH = `/manage/v1/instances/${instance.instanceID}/events`;

let world: ConsoleWorld;
let every: jest.SpyInstance;

beforeAll(async () => {
  // The periodic checks of sessions run every 20 ms, so that no test waits for seconds.
  const original = Reflect.get(PeriodicTasks.prototype, 'every');
  every = jest.spyOn(PeriodicTasks.prototype, 'every').mockImplementation(function often(
    this: PeriodicTasks,
    name,
    ms,
    ...rest
  ) {
    return Reflect.apply(original, this, [name, name === 'credentials of event streams' ? 20 : ms, ...rest]);
  });
  world = await createWorld();
});

afterAll(async () => {
  every?.mockRestore();
  await world?.close();
});

beforeEach(() => {
  world.fakeExecution.newsReply = { body: instance, lines: [] };
});

const openStream = ({ token }: TestPerson, headers: Record<string, string> = {}, signal?: AbortSignal, query = '') =>
  fetch(`${world.url}${PATH}${query}`, {
    headers: { cookie: `batuta_session=${token}`, ...headers },
    ...(signal && { signal }),
  });

/** Collects the text of a stream; `end` resolves when the stream ends. */
function readStream({ body }: Response): { text: string; end: Promise<void> } {
  const read = { text: '', end: Promise.resolve() };
  const readAll = async () => {
    for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) read.text += piece;
  };
  read.end = readAll();
  return read;
}

test('a browser follows an instance with the session cookie until its end, on behalf of the account', async () => {
  const ana = await world.addPerson();
  world.fakeExecution.newsReply = { body: ENDED, lines: [{ line: 1, ...line }] };
  const response = await openStream(ana);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  const events = (await response.text()).split('\n\n').filter((block) => block.startsWith('event:'));
  expect(events).toEqual([
    `event: log\nid: 1\ndata: ${JSON.stringify(line)}`,
    `event: status\nid: 1.end\ndata: ${JSON.stringify(ENDED)}`,
  ]);
  expect(world.fakeExecution.viewers.at(-1)).toEqual({ accountID: ana.id });
  expect((await openStream(ana, { 'Last-Event-ID': '1.end' })).status).toBe(204);
});

test('a stream begins after the line that the query names, unless an EventSource reconnects to it', async () => {
  const ana = await world.addPerson();
  world.fakeExecution.newsReply = { body: ENDED, lines: [1, 2, 3].map((number) => ({ line: number, ...line })) };
  const numbersOf = async (query: string, headers = {}) => {
    const text = await (await openStream(ana, headers, undefined, query)).text();
    return [...text.matchAll(/^event: log\nid: (\d+)/gm)].map(([, number]) => Number(number));
  };
  expect(await numbersOf('?after=1')).toEqual([2, 3]);
  expect(await numbersOf('?after=1', { 'Last-Event-ID': '2' })).toEqual([3]);
  const refused = await ana.refusal('GET', `/instances/${instance.instanceID}/events?after=last`);
  expect(refused).toEqual({ error: '400 BAD_REQUEST', message: 'after: must be a line number' });
});

test.each<[string, (person: TestPerson) => [sql: string, id: string], string]>([
  ['the session ends', ({ id }) => ['DELETE FROM login_session WHERE account_id = ?', id], 'INVALID_CREDENTIAL'],
  [
    'the session expires',
    ({ id }) => ['UPDATE login_session SET expires_at = UTC_TIMESTAMP(3) WHERE account_id = ?', id],
    'CREDENTIAL_EXPIRED',
  ],
  ['the account is blocked', ({ id }) => ['UPDATE account SET blocked = 1 WHERE account_id = ?', id], 'OWNER_INACTIVE'],
])('a stream ends with the refusal as its last event after %s', async (_, end, code) => {
  const ana = await world.addPerson();
  const stream = readStream(await openStream(ana));
  await waitUntil('the stream has the status', () => stream.text.includes('event: status'));
  const [sql, id] = end(ana);
  await world.store.write(sql, [id]);
  await stream.end;
  expect(stream.text.trim().split('\n\n').at(-1)).toMatch(
    new RegExp(`^event: refused\\ndata: {"error":{"code":"${code}"`),
  );
});

test('an account with its maximum number of streams is refused another one, and other accounts are not', async () => {
  const [ana, bia] = [await world.addPerson(), await world.addPerson()];
  const ended = new AbortController();
  const own = await Promise.all(Array.from({ length: 20 }, () => openStream(ana, {}, ended.signal)));
  expect(new Set(own.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await openStream(ana)).status).toBe(429);
  expect((await openStream(bia, {}, ended.signal)).status).toBe(200);
  ended.abort();
});

test('the stream of an unknown instance is INSTANCE_NOT_FOUND', async () => {
  const ana = await world.addPerson();
  for (const id of [UNKNOWN_ID, 'x']) {
    expect(await ana.refusal('GET', `/instances/${id}/events`)).toMatchObject({ error: '404 INSTANCE_NOT_FOUND' });
  }
});
