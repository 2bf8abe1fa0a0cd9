import { createServer, get, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { waitUntil } from '../../../test/support/wait-until';
import { listenOnFreePort } from '../../../test/support/web-server';
import { ExpectedSizes } from './expected-sizes';
import { LargeAnswers } from './large-answers';

const MEGABYTE = 1024 * 1024;
const createResponse = ({ method = 'GET', route = '/x' } = {}) => {
  const request = Object.assign(new IncomingMessage(new Socket()), { method, route: { path: route } });
  return new ServerResponse(request);
};
/** A response whose answer has begun. */
const sentResponse = () => {
  const response = createResponse();
  response.flushHeaders();
  return response;
};
const LIMITS = { waitMs: 20, unknownSizeWaitMs: 20, readMs: 60_000 };
const codeOf = (work: () => void) => {
  try {
    work();
    return 'admitted';
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
};

test('a tenant has two megabytes of unread answers at a time, and another tenant is not refused for them', () => {
  const answers = new LargeAnswers();
  const first = createResponse();
  answers.admit('a', first, MEGABYTE);
  answers.admit('a', createResponse(), MEGABYTE);
  const third = createResponse();
  expect(codeOf(() => answers.admit('a', third, MEGABYTE))).toBe('RATE_LIMITED');
  expect(third.getHeader('Retry-After')).toBe('1');
  expect(codeOf(() => answers.admit('b', createResponse(), MEGABYTE))).toBe('admitted');
  first.emit('close');
  expect(codeOf(() => answers.admit('a', createResponse(), MEGABYTE))).toBe('admitted');
});

test('an answer of up to 64 KB is not counted, however many are unread', () => {
  const answers = new LargeAnswers();
  for (let n = 0; n < 200; n += 1) answers.admit('a', createResponse(), 65_536);
  expect(answers.mayBeMade('a', createResponse())).toBe(true);
  expect(codeOf(() => answers.admit('a', createResponse(), 2 * MEGABYTE))).toBe('admitted');
});

test('an answer above the share of a tenant is admitted while nothing else of the tenant is unread', () => {
  const answers = new LargeAnswers();
  expect(codeOf(() => answers.admit('a', createResponse(), 3 * MEGABYTE))).toBe('admitted');
  expect(codeOf(() => answers.admit('a', createResponse(), 3 * MEGABYTE))).toBe('RATE_LIMITED');
});

test('a tenant that has read many megabytes is refused more for a while, and no other tenant is', async () => {
  const answers = new LargeAnswers();
  const large = createResponse();
  answers.admit('a', large, MEGABYTE, 20_000_000);
  large.emit('close');
  const next = createResponse();
  expect(codeOf(() => answers.admit('a', next, MEGABYTE))).toBe('RATE_LIMITED');
  expect(Number(next.getHeader('Retry-After'))).toBeGreaterThan(5);
  expect(codeOf(() => answers.admit('b', createResponse(), MEGABYTE))).toBe('admitted');
  await expect(answers.waitForRoom('a', createResponse())).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('large answers of all tenants are bounded too', () => {
  const answers = new LargeAnswers();
  for (let n = 0; n < 16; n += 1) answers.admit(`tenant ${n}`, createResponse(), MEGABYTE);
  expect(codeOf(() => answers.admit('one more', createResponse(), MEGABYTE))).toBe('UNAVAILABLE');
});

test('the next answer of a route that gave a large one waits for room before it is made', async () => {
  const answers = new LargeAnswers(LIMITS);
  const [first, second, third] = [createResponse(), createResponse(), createResponse()];
  answers.admit('a', first, 2 * MEGABYTE);
  expect([answers.mayBeMade('a', second), answers.mayBeMade('b', second)]).toEqual([false, true]);
  await expect(answers.waitForRoom('a', second)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const waiting = answers.waitForRoom('a', third);
  first.emit('close');
  await expect(waiting).resolves.toBeUndefined();
  // The answer turns out to be small.
  answers.admit('a', third, 100);
  expect(codeOf(() => answers.admit('a', createResponse(), 2 * MEGABYTE))).toBe('admitted');
});

test('a route is expected to answer with its largest answer for ten seconds, whatever smaller ones follow', () => {
  let now = 1;
  const sizes = new ExpectedSizes(() => now);
  sizes.note('a', 'GET /x', 0);
  sizes.note('a', 'GET /x', 500);
  now = 5_000;
  sizes.note('a', 'GET /x', 300);
  sizes.note('a', 'GET /x', 0);
  expect(['GET /x', 'GET /y'].map((route) => sizes.bytesOf('a', route))).toEqual([500, undefined]);
  now = 10_002;
  expect(sizes.bytesOf('a', 'GET /x')).toBeUndefined();
});

test('of a route that has not answered a tenant yet, four answers are made at a time', async () => {
  const answers = new LargeAnswers({ ...LIMITS, unknownSizeWaitMs: 60_000 });
  const first = Array.from({ length: 4 }, () => createResponse());
  expect(first.map((response) => answers.mayBeMade('a', response))).toEqual([true, true, true, true]);
  expect(answers.mayBeMade('a', createResponse())).toBe(false);
  const others = [createResponse({ route: '/y' }), createResponse({ method: 'POST' })];
  expect(others.map((response) => answers.mayBeMade('a', response))).toEqual([true, true]);
  expect(answers.mayBeMade('b', createResponse())).toBe(true);
  const waiting = answers.waitForRoom('a', createResponse());
  first[0]?.emit('close');
  await expect(waiting).resolves.toBeUndefined();
});

test('an answer of unknown size that waits is made once the first answer of its route is known to be small', async () => {
  const answers = new LargeAnswers({ ...LIMITS, unknownSizeWaitMs: 60_000 });
  const first = Array.from({ length: 4 }, () => createResponse());
  for (const response of first) answers.mayBeMade('a', response);
  const waiting = answers.waitForRoom('a', createResponse());
  answers.admit('a', createResponse(), 100);
  await expect(waiting).resolves.toBeUndefined();
  expect(answers.mayBeMade('a', createResponse())).toBe(true);
});

test('an answer of unknown size that waits is refused once the first ones turn out to be large and are not read', async () => {
  const answers = new LargeAnswers({ ...LIMITS, unknownSizeWaitMs: 60_000 });
  const first = Array.from({ length: 4 }, () => createResponse());
  for (const response of first) answers.mayBeMade('a', response);
  const waiting = answers.waitForRoom('a', createResponse());
  answers.admit('a', createResponse(), 2 * MEGABYTE);
  await expect(waiting).rejects.toMatchObject({ code: 'RATE_LIMITED' });
});

test('an answer of unknown size whose client has disconnected is not made, and holds back no other', async () => {
  const answers = new LargeAnswers({ ...LIMITS, unknownSizeWaitMs: 60_000 });
  const first = Array.from({ length: 4 }, () => createResponse());
  for (const response of first) answers.mayBeMade('a', response);
  const gone = Array.from({ length: 8 }, () => createResponse());
  const waiting = gone.map((response) => answers.waitForRoom('a', response));
  for (const response of gone) response.destroy();
  expect(await Promise.allSettled(waiting)).toEqual(
    gone.map(() => ({ status: 'rejected', reason: expect.objectContaining({ code: 'RATE_LIMITED' }) })),
  );
  for (const response of first) response.emit('close');
  expect(gone.map((response) => answers.mayBeMade('a', response))).not.toContain(true);
  expect(answers.mayBeMade('a', createResponse())).toBe(true);
});

test('an answer of unknown size waits no longer than its time limit, and not at all for answers that are being sent', async () => {
  const answers = new LargeAnswers(LIMITS);
  for (let n = 0; n < 4; n += 1) answers.mayBeMade('a', createResponse());
  await expect(answers.waitForRoom('a', createResponse())).resolves.toBeUndefined();
  const streams = Array.from({ length: 20 }, () => sentResponse());
  expect(streams.map((response) => answers.mayBeMade('b', response))).not.toContain(false);
});

test('a client that does not read its answer loses the connection, and the bytes are free again', async () => {
  const answers = new LargeAnswers({ ...LIMITS, readMs: 20 });
  const outcomes: unknown[] = [];
  let closed = 0;
  const server = createServer((_, unread) => {
    unread.once('close', () => (closed += 1));
    outcomes.push(answers.tryReserve('a', unread, 20_000_000));
    unread.end('x'.repeat(20_000_000));
  });
  const port = await listenOnFreePort(server);
  for (let n = 1; n <= 3; n += 1) {
    const client = get({ port, host: '127.0.0.1' }, () => {}).on('error', () => {});
    await waitUntil('the connection is cut', () => closed === n);
    client.destroy();
  }
  await new Promise((resolve) => server.close(resolve));
  expect(outcomes).toEqual([undefined, undefined, undefined]);
});
