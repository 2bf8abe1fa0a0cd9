import { HostRules } from '@batuta/network';
import { createServer } from 'node:net';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { listenOnFreePort, startWebServer, type WebServer } from '../../../test/support/web-server';
import { guardedFetch } from './guarded-fetch';

/** More than all buffers between the server and the reader hold. */
const TEXT = Array.from({ length: 200_000 }, (_, n) => `line ${n * 7_919}`).join('\n');

/** The best quality, which is the default, takes many seconds. */
const brotli = () => brotliCompressSync(TEXT, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });

let server: WebServer;
let answer: { encoding: string; body: Buffer };
const fetcher = guardedFetch(HostRules.of());

beforeAll(async () => {
  server = await startWebServer((_request, response) => {
    // Without a length the end of the connection is the end of the body.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { 'content-encoding': answer.encoding, connection: 'close' }).end(answer.body);
  });
});
afterAll(() => server.stop());

function call(encoding: string, body: Buffer, method = 'GET'): Promise<Response> {
  answer = { encoding, body };
  return fetcher(`${server.url}/`, { method });
}

test.each<[string, () => Buffer]>([
  ['gzip', () => gzipSync(TEXT)],
  ['X-GZip', () => gzipSync(TEXT)],
  ['br', () => brotli()],
  ['deflate', () => deflateSync(TEXT)],
  ['deflate', () => deflateRawSync(TEXT)],
  ['gzip', () => Buffer.concat([gzipSync(TEXT.slice(0, 1_000)), gzipSync(TEXT.slice(1_000))])],
  ['gzip', () => Buffer.concat([gzipSync(TEXT), Buffer.alloc(10)])],
  ['identity', () => Buffer.from(TEXT)],
])('an answer with the encoding %s is decoded as a whole', async (encoding, body) => {
  const response = await call(encoding, body());
  expect((await response.text()) === TEXT).toBe(true);
});

test.each<[string, () => Buffer]>([
  ['gzip', () => gzipSync(TEXT)],
  ['br', () => brotli()],
])('an answer with the encoding %s that ends before its data is an error', async (encoding, body) => {
  const whole = body();
  for (const cut of [whole.subarray(0, whole.length / 2), whole.subarray(0, -1)]) {
    const response = await call(encoding, cut);
    await expect(response.text()).rejects.toMatchObject({ cause: { message: expect.stringContaining('end of file') } });
  }
});

test('an answer that gives no decoded data until its sender closes the connection is an error', async () => {
  const endlessFileName = Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(500_000, 97)]);
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const response = await call('gzip', endlessFileName);
    await expect(response.text()).rejects.toThrow('terminated');
  }
});

test('an answer with too many encodings is refused, and nothing more of it is read', async () => {
  const closed = Promise.withResolvers<void>();
  const sender = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: a,b,c,d,e,f\r\n\r\nbegin'));
    socket.once('close', () => closed.resolve());
  });
  const called = fetcher(`http://127.0.0.1:${await listenOnFreePort(sender)}/`);
  await expect(called).rejects.toMatchObject({ cause: { message: 'the answer has more than 5 encodings' } });
  await closed.promise;
  sender.close();
});

test('an answer with the encoding gzip whose data are damaged is an error', async () => {
  const response = await call('gzip', Buffer.from(TEXT));
  await expect(response.text()).rejects.toMatchObject({ cause: { code: 'Z_DATA_ERROR' } });
});

test('an answer with an encoding and no data is empty', async () => {
  expect(await (await call('gzip', Buffer.alloc(0))).text()).toBe('');
  expect(await (await call('gzip', gzipSync(TEXT), 'HEAD')).text()).toBe('');
});

test('a reader that has read enough of a decoded answer ends the call', async () => {
  const response = await call('gzip', gzipSync(TEXT));
  const reader = response.body?.getReader();
  expect((await reader?.read())?.value?.length).toBeGreaterThan(0);
  await reader?.cancel();
  expect(await (await call('gzip', gzipSync('next'))).text()).toBe('next');
});

test('an answer that comes after an interim one is decoded', async () => {
  const sender = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 103 Early Hints\r\ncontent-encoding: br\r\n\r\n');
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\nconnection: close\r\n\r\n');
      socket.end(gzipSync('whole'));
    });
  });
  const response = await fetcher(`http://127.0.0.1:${await listenOnFreePort(sender)}/`);
  expect(await response.text()).toBe('whole');
  sender.close();
});
