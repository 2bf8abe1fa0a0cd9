import { setActor, setTenant, withRequestID } from '@batuta/observability';
import { type INestMicroservice } from '@nestjs/common';
import { once } from 'node:events';
import { pino } from 'pino';
import { holdTimers } from '../../../test/support/held-timers';
import { takeNatsUser, startTestNats } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { handledBy, receivedNotifications, slowHandlerEvents, startReplica, TEST_SUBJECTS } from '../test/replica';
import { Rpc, wasNotReceived } from '.';

/** A long time limit, because a busy machine may take seconds to reply. */
const LONG_TIME_LIMIT_OPTIONS = { timeout: 30_000 };

let natsURL: string;
let rpcClient: Rpc;
const replicas: INestMicroservice[] = [];

beforeAll(async () => {
  natsURL = await takeNatsUser();
  for (const name of ['a', 'b']) replicas.push(await startReplica(natsURL, name));
  rpcClient = await Rpc.connect(natsURL, 'test');
  // Replicas of other test files may have handled requests before.
  handledBy.clear();
  await waitUntil('both replicas answer', async () => {
    await rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
    return handledBy.size === 2;
  });
});

afterAll(async () => {
  await rpcClient?.close();
  await Promise.all(replicas.map((app) => app.close()));
});

test('one replica handles each request, and every replica handles some of many', async () => {
  handledBy.clear();
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => rpcClient.call(TEST_SUBJECTS.double, { n }, LONG_TIME_LIMIT_OPTIONS)),
  );
  expect(replies.map(({ n }) => n)).toEqual(Array.from({ length: 50 }, (_, n) => 2 * n));
  const counts = [...handledBy.values()];
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(50);
  expect(counts).toHaveLength(2);
});

test('large requests of a tenant wait while others of it are worked on, and smaller ones do not', async () => {
  const request = { n: 1, filler: Array.from({ length: 300_000 }, () => ({})) };
  let working = 0;
  slowHandlerEvents.on('received', () => (working += 1));
  // Each request takes about 27 megabytes of memory, and a tenant has 32 in each replica (LargeRequests), so each of the two replicas works on one at a time.
  const calls = Array.from({ length: 4 }, () =>
    rpcClient.call(TEST_SUBJECTS.slow, request, { ...LONG_TIME_LIMIT_OPTIONS, tenant: 't' }),
  );
  const replies = Promise.allSettled(calls);
  await waitUntil('one of them is received', () => working > 0);
  await rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
  expect(working).toBeLessThanOrEqual(2);
  const answer = setInterval(() => slowHandlerEvents.emit('answer'), 10);
  const ends = (await replies).map((reply) => (reply.status === 'fulfilled' ? 'done' : Object(reply.reason).code));
  clearInterval(answer);
  slowHandlerEvents.removeAllListeners('received');
  expect(ends).toContain('done');
  expect(ends.every((end) => end === 'done' || end === 'UNAVAILABLE')).toBe(true);
  // The memory of the handled requests is released, so that requests of other tenants fit.
  const again = setInterval(() => slowHandlerEvents.emit('answer'), 10);
  await Promise.all(
    ['u', 'v'].map((tenant) => rpcClient.call(TEST_SUBJECTS.slow, request, { ...LONG_TIME_LIMIT_OPTIONS, tenant })),
  );
  clearInterval(again);
});

test('the handler has the request id of the caller', async () => {
  const reply = await withRequestID('request-7', () =>
    rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS),
  );
  expect(reply.requestID).toBe('request-7');
});

test('the handler knows who sent the request, and the next one does not inherit it', async () => {
  const actor = { accountID: 'a', credentialID: 'c', address: '192.0.2.7' };
  const reply = await withRequestID('request-7', () => {
    setActor(actor);
    return rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
  });
  expect(reply.actor).toEqual(actor);
  const next = await withRequestID('request-8', () =>
    rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS),
  );
  expect(next.actor).toBeUndefined();
});

test('the handler has the tenant of the caller, before the one that a call names', async () => {
  const call = (tenant?: string) =>
    rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, { ...LONG_TIME_LIMIT_OPTIONS, tenant });
  const reply = await withRequestID('request-9', () => {
    setTenant('company-1');
    return call('environment-1');
  });
  expect([reply.tenant, (await call('environment-1')).tenant, (await call()).tenant]).toEqual([
    'company-1',
    'environment-1',
    undefined,
  ]);
});

test('an ApiError reaches the caller with its code and message', async () => {
  const reply = rpcClient.call(TEST_SUBJECTS.double, { n: -1 }, LONG_TIME_LIMIT_OPTIONS);
  await expect(reply).rejects.toMatchObject({ code: 'INVALID_MATRIX', message: 'n: below zero' });
});

test('an unexpected error reaches the caller as INTERNAL, without its detail', async () => {
  const error: unknown = await rpcClient
    .call(TEST_SUBJECTS.double, { n: 1300 }, LONG_TIME_LIMIT_OPTIONS)
    .catch((fault: unknown) => fault);
  expect(error).toMatchObject({ code: 'INTERNAL' });
  expect(String(error)).not.toContain('secret');
});

describe('partial replies', () => {
  const requestPartialReplies = (
    request: { to: number; slowly?: true; fails?: true },
    timeout = LONG_TIME_LIMIT_OPTIONS.timeout,
  ) => {
    const partial: number[] = [];
    const last = rpcClient.call(TEST_SUBJECTS.count, request, { timeout, onPartial: ({ n }) => partial.push(n) });
    return { partial, last };
  };

  test('a request with partial replies receives them in order before the last reply', async () => {
    const { partial, last } = requestPartialReplies({ to: 50 });
    expect(await last).toEqual({ n: 50 });
    expect(partial).toEqual(Array.from({ length: 49 }, (_, index) => index + 1));
  });

  test('a request with partial replies receives each partial reply as soon as it is sent', async () => {
    const { partial, last } = requestPartialReplies({ to: 3, slowly: true });
    for (const count of [1, 2]) {
      await waitUntil('a partial reply', () => partial.length === count);
      slowHandlerEvents.emit('answer');
    }
    expect(await last).toEqual({ n: 3 });
  });

  test('a request may have no partial replies, or end with an error', async () => {
    expect([await requestPartialReplies({ to: 1 }).last, requestPartialReplies({ to: 1 }).partial]).toEqual([
      { n: 1 },
      [],
    ]);
    const { partial, last } = requestPartialReplies({ to: 3, fails: true });
    await expect(last).rejects.toMatchObject({ code: 'CONFLICT', message: 'to: too far' });
    expect(partial).toEqual([1, 2]);
  });

  test('a request with partial replies is UNAVAILABLE when the last reply does not arrive within the time limit, even after partial replies', async () => {
    const limit = holdTimers(7_777);
    try {
      const { partial, last } = requestPartialReplies({ to: 2, slowly: true }, 7_777);
      await waitUntil('a partial reply', () => partial.length === 1);
      limit.fire();
      await expect(last).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    } finally {
      limit.release();
      slowHandlerEvents.emit('answer');
    }
  });

  test('a request with partial replies rejects with the error that onPartial throws', async () => {
    const onPartial = () => {
      throw new Error('partial reply refused');
    };
    await expect(
      rpcClient.call(TEST_SUBJECTS.count, { to: 3 }, { ...LONG_TIME_LIMIT_OPTIONS, onPartial }),
    ).rejects.toThrow('partial reply refused');
  });
});

test('a request is UNAVAILABLE when no reply arrives in time or nobody subscribes, and counts as not received only in the second case', async () => {
  const silent = rpcClient.call(TEST_SUBJECTS.never, { n: 1 }, { timeout: 50 });
  const unanswered: unknown = await silent.catch((error: unknown) => error);
  expect(unanswered).toMatchObject({ code: 'UNAVAILABLE' });
  expect(wasNotReceived(unanswered)).toBe(false);
  const fault: unknown = await rpcClient
    .call(TEST_SUBJECTS.nobody, { n: 1 }, LONG_TIME_LIMIT_OPTIONS)
    .catch((error: unknown) => error);
  expect(fault).toMatchObject({ code: 'UNAVAILABLE' });
  expect(wasNotReceived(fault)).toBe(true);
});

test('a pending request is UNAVAILABLE as soon as its connection closes', async () => {
  const closing = await Rpc.connect(natsURL, 'leaving');
  const waiting = closing.call(TEST_SUBJECTS.never, { n: 1 }, { timeout: 60_000 });
  await Promise.all([expect(waiting).rejects.toMatchObject({ code: 'UNAVAILABLE' }), closing.close()]);
});

test('a service that stops replies to requests in flight, accepts no others, and does not wait beyond the grace period', async () => {
  const own = await takeNatsUser();
  const [service, client] = [await startReplica(own, 'stopping'), await Rpc.connect(own, 'client')];
  const answers = () =>
    client.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS).then(
      () => true,
      () => false,
    );
  await waitUntil('the service replies', answers);
  const unansweredCall = client
    .call(TEST_SUBJECTS.never, { n: 1 }, LONG_TIME_LIMIT_OPTIONS)
    .catch((error: unknown) => error);
  const inFlight = once(slowHandlerEvents, 'received');
  const reply = client.call(TEST_SUBJECTS.slow, { n: 7 }, LONG_TIME_LIMIT_OPTIONS);
  await inFlight;
  const bound = holdTimers(2_000);
  try {
    const stopped = service.close();
    await waitUntil('the service accepts no requests', async () => !(await answers()));
    slowHandlerEvents.emit('answer');
    expect(await reply).toEqual({ n: 7 });
    bound.fire();
    await stopped;
  } finally {
    bound.release();
  }
  await client.close();
  expect(await unansweredCall).toMatchObject({ code: 'UNAVAILABLE' });
});

test('a notification reaches every replica', async () => {
  receivedNotifications.length = 0;
  rpcClient.notify(TEST_SUBJECTS.changed, { word: 'x' });
  await waitUntil('both replicas have received it', () => receivedNotifications.length === 2);
  expect(receivedNotifications).toEqual(['x', 'x']);
});

test('subscribe receives notifications until it is unsubscribed', async () => {
  const words: string[] = [];
  const unsubscribe = rpcClient.subscribe(TEST_SUBJECTS.changed, ({ word }) => words.push(word));
  rpcClient.notify(TEST_SUBJECTS.changed, { word: 'before' });
  await waitUntil('the notification has arrived', () => words.length === 1);
  unsubscribe();
  rpcClient.notify(TEST_SUBJECTS.changed, { word: 'after' });
  await rpcClient.call(TEST_SUBJECTS.double, { n: 1 }, LONG_TIME_LIMIT_OPTIONS);
  expect(words).toEqual(['before']);
});

test('a connection notices at once that the server is away, reconnects, logs one warning for each, and reports failed calls', async () => {
  const own = await startTestNats({ password: 'pw' });
  const warnings: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const failures = jest.fn();
  const client = await Rpc.connect(own.url, 'test', { logger, onFailure: failures });
  const errors = jest.fn();
  const serverWarnings: string[] = [];
  const warn = (message: string) => void serverWarnings.push(message);
  const server = await startReplica(own.url, 'server', { log: jest.fn(), warn, error: errors });
  expect(await client.ping()).toBe(true);
  await own.stop();
  await waitUntil('the connection notices', () => !client.connected);
  expect(await client.ping()).toBe(false);
  await expect(client.call(TEST_SUBJECTS.double, { n: 1 })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  expect(failures.mock.calls).toEqual([[TEST_SUBJECTS.double.subject, 'UNAVAILABLE']]);
  const again = await startTestNats({ port: own.port, password: 'pw' });
  await waitUntil('the connection is back', () => client.connected);
  expect(await client.ping()).toBe(true);
  await waitUntil('the server is back', () => client.call(TEST_SUBJECTS.double, { n: 1 }));
  await waitUntil('the server says so', () => serverWarnings.length > 1);
  await client.close();
  await server.close();
  const { host } = new URL(own.url);
  expect(serverWarnings).toEqual([
    `the connection to NATS (${host}) that receives requests is lost; the service reconnects`,
    `the connection to NATS (${host}) that receives requests is back`,
  ]);
  expect(warnings).toEqual([
    'the connection to NATS is lost; the service reconnects',
    'the connection to NATS is back',
  ]);
  expect(errors).not.toHaveBeenCalled();
  await again.stop();
});

test('a connection that stays lost logs once why NATS accepts no other one, such as another password', async () => {
  const own = await startTestNats({ password: 'pw' });
  const warnings: { msg: string; err?: Error }[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line)) });
  const client = await Rpc.connect(own.url, 'test', { logger });
  await own.stop();
  await waitUntil('the connection notices', () => !client.connected);
  const refusing = await startTestNats({ port: own.port, password: 'another' });
  const now = performance.now.bind(performance);
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + 5_000);
  await waitUntil('the reason is logged', () => warnings.length > 1).finally(() => clock.mockRestore());
  await client.close();
  expect(warnings).toMatchObject([
    { msg: 'the connection to NATS is lost; the service reconnects' },
    {
      msg: 'NATS accepts no connection; the service waits for it',
      err: { message: expect.stringMatching(/authorization violation/i) },
    },
  ]);
  await refusing.stop();
});
