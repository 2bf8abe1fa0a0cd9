import { event, rpc as subjectOf } from '@batuta/contracts';
import { DatabaseClock, openStore, type Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { createTestDatabase, takeNatsUser, type TestDatabase } from '../../../../test/support/servers';
import { IdempotentRequests, type IdempotentRequest } from './idempotent-requests';

const TIME_LIMIT_MS = 300;
const ABSENT = subjectOf<IdempotentRequest, string>('test.absent');
const SILENT = subjectOf<IdempotentRequest, string>('test.silent');

let database: TestDatabase;
let store: Store;
let rpc: Rpc;
let requests: IdempotentRequests;
beforeAll(async () => {
  database = await createTestDatabase();
  store = await openStore({ url: database.url, pool: 1 });
  rpc = await Rpc.connect(await takeNatsUser(), 'test');
  requests = new IdempotentRequests(rpc, await DatabaseClock.read(store));
});
afterAll(async () => {
  await rpc?.close();
  await store?.close();
  await database?.drop();
});

const newRequest = () => ({ deadline: requests.deadlineIn(TIME_LIMIT_MS) });

test('a request that no service has received by its deadline has no reply', async () => {
  expect(await requests.send(ABSENT, newRequest())).toBeUndefined();
});

test('a request that a service has received and never answers is repeated, also after its deadline, and is UNAVAILABLE then', async () => {
  const received: unknown[] = [];
  const unsubscribe = rpc.subscribe(event<IdempotentRequest>(SILENT.subject), (request) => received.push(request));
  const request = newRequest();
  await expect(requests.send(SILENT, request)).rejects.toMatchObject({
    code: 'UNAVAILABLE',
    message: expect.stringContaining('could say'),
  });
  unsubscribe();
  expect(received.length).toBeGreaterThan(1);
  expect(received.at(-1)).toEqual({ deadline: request.deadline, resent: true });
});
