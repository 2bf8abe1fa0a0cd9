import { createServer, get, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { waitUntil } from '../../../test/support/wait-until';
import { LargeAnswers } from './large-answers';

const createResponse = () => new ServerResponse(new IncomingMessage(new Socket()));

test('a tenant gets two large answers at a time, and another tenant does not wait for them', async () => {
  const answers = new LargeAnswers({ waitMs: 20, readMs: 60_000 });
  const [first, second, third] = [createResponse(), createResponse(), createResponse()];
  await answers.admit('a', first);
  await answers.admit('a', second);
  await expect(answers.admit('a', third)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(third.getHeader('Retry-After')).toBe('1');
  await answers.admit('b', createResponse());
  const waiting = answers.admit('a', third);
  first.emit('close');
  await expect(waiting).resolves.toBeUndefined();
});

test('a tenant that has read many megabytes waits before it reads more, and no other tenant does', async () => {
  const answers = new LargeAnswers({ waitMs: 20, readMs: 60_000 });
  const large = createResponse();
  await answers.admit('a', large);
  large.setHeader('Content-Length', 20_000_000);
  large.emit('close');
  const next = createResponse();
  await expect(answers.admit('a', next)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect(Number(next.getHeader('Retry-After'))).toBeGreaterThan(5);
  await answers.admit('b', createResponse());
});

test('large answers of all tenants are bounded too', async () => {
  const answers = new LargeAnswers({ waitMs: 20, readMs: 60_000 });
  for (let n = 0; n < 16; n += 1) await answers.admit(`tenant ${n}`, createResponse());
  await expect(answers.admit('one more', createResponse())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
});

test('a client that does not read its answer loses the connection, and the bytes are free again', async () => {
  const answers = new LargeAnswers({ waitMs: 60_000, readMs: 20 });
  let closed = 0;
  const server = createServer((_, unread) => {
    unread.once('close', () => (closed += 1));
    void answers.admit('a', unread).then(() => unread.end('x'.repeat(20_000_000)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const clients = Array.from({ length: 6 }, () => get({ port, host: '127.0.0.1' }, () => {}).on('error', () => {}));
  await waitUntil('every connection is cut', () => closed === 6);
  for (const client of clients) client.destroy();
  await new Promise((resolve) => server.close(resolve));
  expect(closed).toBe(6);
});
