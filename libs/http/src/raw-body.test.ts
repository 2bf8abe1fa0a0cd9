import { once } from 'node:events';
import { createServer, IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createLogger, limitServer } from '@batuta/observability';
import { listenOnFreePort } from '../../../test/support/web-server';
import { requestWith } from '../test/requests';
import { MAX_BODY_BYTES, readRawBody } from './raw-body';

const BODY_EVENTS = ['data', 'end', 'error', 'close'];

const listenerCounts = (request: IncomingMessage) => BODY_EVENTS.map((event) => request.listenerCount(event));

test('a request keeps no bytes of a body that was read or refused', async () => {
  const read = requestWith([Buffer.from('{"a":'), Buffer.from('1}')]);
  const refused = requestWith([Buffer.alloc(MAX_BODY_BYTES), Buffer.from('x')]);
  const before = listenerCounts(requestWith([]));
  expect(String(await readRawBody(read))).toBe('{"a":1}');
  await expect(readRawBody(refused)).rejects.toThrow('above');
  expect([listenerCounts(read), listenerCounts(refused)]).toEqual([before, before]);
});

test('a request that was aborted before it is read is refused at once', async () => {
  const request = new IncomingMessage(new Socket());
  request.destroy();
  await expect(readRawBody(request)).rejects.toThrow('ended too early');
});

test('a body that arrives byte by byte takes no more memory than its bytes', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const request = new IncomingMessage(new Socket());
  const read = readRawBody(request);
  const pieces: WeakRef<Buffer>[] = [];
  for (let sent = 0; sent < 1_000; sent += 1) {
    const piece = Buffer.allocUnsafeSlow(1).fill('x');
    pieces.push(new WeakRef(piece));
    request.push(piece);
  }
  // V8 keeps the objects that a turn of the event loop has used until that turn ends.
  await new Promise(setImmediate);
  if (typeof collect === 'function') collect();
  expect(pieces.filter((piece) => piece.deref() !== undefined).length).toBeLessThan(10);
  request.push(null);
  expect(String(await read)).toBe('x'.repeat(1_000));
});

test.each([
  ['one piece', [5]],
  ['growing pieces', [1, 2, 4, 8, 16, 4_096, 65_536, 500_000]],
  ['small pieces behind a large one', [300_000, ...Array<number>(500).fill(7)]],
  ['exactly as much as there may be', [MAX_BODY_BYTES - 1, 1]],
  ['nothing', []],
])('a body that arrives as %s is read unchanged', async (_, sizes) => {
  const pieces = sizes.map((size, index) => Buffer.alloc(size, index % 251));
  const bytes = await readRawBody(requestWith(pieces));
  expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
});

describe.each([
  ['that says it is too large', { 'content-length': String(MAX_BODY_BYTES + 1) }, Buffer.from('x')],
  ['that turns out to be too large', {}, Buffer.alloc(MAX_BODY_BYTES + 1)],
])('a body %s', (_, headers, piece) => {
  const arriving = () => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request.headers, headers);
    request.push(piece);
    const refusal = readRawBody(request).catch((error: unknown) => error);
    return { request, refusal };
  };
  const payloadTooLarge = expect.objectContaining({ code: 'PAYLOAD_TOO_LARGE' });

  test('a body is refused only after it has arrived completely, so that the client reads the answer', async () => {
    const { request, refusal } = arriving();
    const turn = new Promise((resolve) => setImmediate(resolve, 'still coming'));
    expect(await Promise.race([refusal, turn])).toBe('still coming');
    request.push(Buffer.from('x'));
    request.push(null);
    expect([await refusal, request.readableLength]).toEqual([payloadTooLarge, 0]);
  });

  test('the refusal of a body comes at once when the client aborts', async () => {
    const { request, refusal } = arriving();
    request.destroy();
    expect(await refusal).toEqual(payloadTooLarge);
  });
});

test('the server refuses a body that does not arrive within the time limit, and reading it ends', async () => {
  const reads: Promise<unknown>[] = [];
  const server = createServer({ connectionsCheckingInterval: 10 }, (request) => {
    reads.push(readRawBody(request).catch((error: unknown) => error));
  });
  limitServer(server, createLogger('test', 'silent'), { headersMs: 200, requestMs: 200 });
  const socket = connect(await listenOnFreePort(server), '127.0.0.1');
  const answers = socket.setEncoding('utf8').toArray();
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"a":');
  await once(server, 'request');
  expect((await answers).join('')).toMatch(/^HTTP\/1\.1 408 .*"BAD_REQUEST"/s);
  expect(await Promise.all(reads)).toEqual([
    expect.objectContaining({ code: 'BAD_REQUEST', message: 'body: ended too early' }),
  ]);
  server.close();
  await once(server, 'close');
});
