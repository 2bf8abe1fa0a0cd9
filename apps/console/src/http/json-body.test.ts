import { MAX_BODY_BYTES } from '@batuta/http';
import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { waitUntil } from '../../../../test/support/wait-until';
import { createWorld, type Person, type World } from '../../test/world';

let world: World;
let ana: Person;

beforeAll(async () => {
  world = await createWorld();
  ana = await world.person();
});

afterAll(() => world?.close());

const refused = (code: string, message: RegExp) => ({ error: { code, message: expect.stringMatching(message) } });

/** The body of a good log-in in so many bytes: behind JSON there may be spaces. */
const logIn = (size = 0) => Buffer.from(JSON.stringify({ email: ana.email, password: ana.password }).padEnd(size));

async function send(body: Uint8Array | string, headers: Record<string, string> = {}) {
  const response = await fetch(`${world.url}/manage/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: await response.json() };
}

/** A log-in over a connection of its own, its body sent by hand. */
function dial(...headers: string[]) {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname);
  const head = ['POST /manage/v1/session HTTP/1.1', 'Host: x', 'Content-Type: application/json', 'Connection: close'];
  socket.write(`${[...head, ...headers].join('\r\n')}\r\n\r\n`);
  const answer = async () => {
    const received = z.array(z.string()).parse(await socket.setEncoding('utf8').toArray());
    const [top = '', text = ''] = received.join('').split('\r\n\r\n');
    return { status: Number(top.split(' ')[1]), body: JSON.parse(text) };
  };
  return { socket, answer };
}

/** Each byte of it as a chunk of its own. */
function byteByByte(bytes: Buffer): Buffer {
  const chunks = Buffer.from('1\r\n_\r\n'.repeat(bytes.length));
  bytes.forEach((byte, index) => {
    chunks[6 * index + 3] = byte;
  });
  return chunks;
}

/** Bytes, of what is no garbage. */
function heapInUse(): number {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
  return process.memoryUsage().heapUsed;
}

/** The next request as the console's own server gets it, before anything has looked at it. */
function nextRequest(look: (request: IncomingMessage, server: Server) => void): void {
  const started = 'http.server.request.start';
  const hear = (message: unknown) => {
    diagnostics.unsubscribe(started, hear);
    const { request, server } = z
      .object({ request: z.custom<IncomingMessage>(), server: z.custom<Server>() })
      .parse(message);
    look(request, server);
  };
  diagnostics.subscribe(started, hear);
}

describe('a body of 1 MB is taken, one byte more is refused', () => {
  const tooLarge = { status: 413, body: refused('PAYLOAD_TOO_LARGE', /^body:/) };

  test('with its length', async () => {
    expect(await send(logIn(MAX_BODY_BYTES))).toMatchObject({ status: 201 });
    expect(await send(logIn(MAX_BODY_BYTES + 1))).toEqual(tooLarge);
  });

  test('byte by byte', async () => {
    for (const [size, expected] of [
      [MAX_BODY_BYTES, expect.objectContaining({ status: 201 })],
      [MAX_BODY_BYTES + 1, tooLarge],
    ] as const) {
      const { socket, answer } = dial('Transfer-Encoding: chunked');
      socket.write(byteByByte(logIn(size)));
      socket.write('0\r\n\r\n');
      expect(await answer()).toEqual(expected);
    }
  });

  test('compressed', async () => {
    const gzipped = { 'content-encoding': 'gzip' };
    expect(await send(gzipSync(logIn(MAX_BODY_BYTES)), gzipped)).toMatchObject({ status: 201 });
    expect(await send(gzipSync(logIn(MAX_BODY_BYTES + 1)), gzipped)).toEqual(tooLarge);
  });

  test('to the end, so that its sender can hear it', async () => {
    const size = 8 * MAX_BODY_BYTES;
    const { socket, answer } = dial(`Content-Length: ${size}`);
    for (let sent = 0; sent < size; sent += MAX_BODY_BYTES) {
      socket.write(Buffer.alloc(MAX_BODY_BYTES, ' '));
      await new Promise(setImmediate);
    }
    expect(await answer()).toEqual(tooLarge);
  });
});

test('a body that comes byte by byte leaves nothing on the heap for each byte', async () => {
  const bytes = logIn(MAX_BODY_BYTES);
  const chunks = byteByByte(bytes);
  let arrived = 0;
  nextRequest((request) => {
    request.on('data', (piece: Buffer) => {
      arrived += piece.length;
    });
  });
  const { socket, answer } = dial('Transfer-Encoding: chunked');
  const before = heapInUse();
  socket.write(chunks);
  await waitUntil('every byte is there', () => arrived === bytes.length);
  // What a turn of the event loop has touched is kept to its end.
  await new Promise(setImmediate);
  expect(heapInUse() - before).toBeLessThan(4 * bytes.length);
  socket.write('0\r\n\r\n');
  expect(await answer()).toMatchObject({ status: 201 });
});

describe('a slow body', () => {
  test('is waited for while others are served', async () => {
    const bytes = logIn();
    const { socket, answer } = dial(`Content-Length: ${bytes.length}`);
    for (const byte of bytes.subarray(0, -1)) socket.write(Buffer.of(byte));
    expect(await ana.call('GET', '/me')).toMatchObject({ status: 200 });
    socket.write(bytes.subarray(-1));
    expect(await answer()).toMatchObject({ status: 201 });
  });

  test('has half a minute, its headers ten seconds', async () => {
    const servers: Server[] = [];
    nextRequest((_, server) => servers.push(server));
    await ana.call('GET', '/me');
    expect(servers).toEqual([expect.objectContaining({ headersTimeout: 10_000, requestTimeout: 30_000 })]);
  });

  test('that stops half way makes no session, and leaves the console well', async () => {
    const sessions = () => world.store.rows('SELECT token_hash FROM login_session');
    const before = await sessions();
    const { socket } = dial('Content-Length: 1000');
    socket.end(logIn());
    await once(socket.resume(), 'close');
    expect(await ana.call('GET', '/me')).toMatchObject({ status: 200 });
    expect(await sessions()).toEqual(before);
  });
});

test.each([
  ['with a charset', { 'content-type': 'application/json; charset="UTF-8"' }, logIn],
  ['with a BOM', {}, () => Buffer.concat([Buffer.from('\ufeff'), logIn()])],
  ['as gzip', { 'content-encoding': 'gzip' }, () => gzipSync(logIn())],
  ['as deflate', { 'content-encoding': 'deflate' }, () => deflateSync(logIn())],
  ['as br', { 'content-encoding': 'br' }, () => brotliCompressSync(logIn())],
])('JSON %s is taken', async (_, headers, body) => {
  expect(await send(body(), headers)).toMatchObject({ status: 201 });
});

test.each([
  ['half of an object', '{"a":'],
  ['nothing but space', ' '],
  ['a bare text', '"text"'],
  ['null', 'null'],
  ['two objects', '{}{}'],
  ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
  ['UTF-16', Buffer.from('{}', 'utf16le')],
  ['bytes that are no UTF-8', Buffer.from('{"email":"josé@example.com"}', 'latin1')],
])('%s is refused', async (_, body) => {
  expect(await send(body)).toEqual({ status: 400, body: refused('BAD_REQUEST', /^body:/) });
});

test.each(['iso-8859-1', 'utf-16', 'us-ascii'])('the charset %s is refused', async (charset) => {
  expect(await send('{}', { 'content-type': `application/json; charset=${charset}` })).toEqual({
    status: 415,
    body: refused('UNSUPPORTED_CHARSET', /^Content-Type:/),
  });
});

test.each(['application/x-www-form-urlencoded', 'text/plain', 'application/vnd.api+json', ''])(
  'the type %j is refused',
  async (type) => {
    expect(await send('{}', { 'content-type': type })).toEqual({
      status: 400,
      body: refused('BAD_REQUEST', /^Content-Type:/),
    });
  },
);

test('what is compressed in another way, or not at all, is refused', async () => {
  expect(await send('{}', { 'content-encoding': 'compress' })).toEqual({
    status: 400,
    body: refused('BAD_REQUEST', /^Content-Encoding:/),
  });
  expect(await send('{}', { 'content-encoding': 'gzip' })).toEqual({
    status: 400,
    body: refused('BAD_REQUEST', /^body:/),
  });
});

test('a body is not quoted in a refusal', async () => {
  const { status, body } = await send('{"email":"ana@example.com","password":"s3cret"');
  expect([status, JSON.stringify(body).includes('s3cret')]).toEqual([400, false]);
});
