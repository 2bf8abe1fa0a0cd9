import diagnostics from 'node:diagnostics_channel';
import { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createWorld, asRecord, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;
/** The connections that the console's server has accepted since the test began. */
const acceptedSockets = new Set<Socket>();
const onStart = (message: unknown) => {
  const { request } = asRecord(message);
  if (request instanceof IncomingMessage) acceptedSockets.add(request.socket);
};

beforeAll(async () => {
  world = await createWorld({ LOGIN_FAILURES_PER_MINUTE: '1000' });
  diagnostics.subscribe('http.server.request.start', onStart);
});

afterAll(async () => {
  diagnostics.unsubscribe('http.server.request.start', onStart);
  await world?.close();
});

beforeEach(() => acceptedSockets.clear());

const PIECE_BYTES = 65_536;
const BODY_PIECE = Buffer.alloc(PIECE_BYTES, ' ');
const HTTP_CHUNK = Buffer.concat([Buffer.from(`${PIECE_BYTES.toString(16)}\r\n`), BODY_PIECE, Buffer.from('\r\n')]);
const BODY_BYTES = 64 * 1_048_576;
/** Upper bound of the bytes that sockets and parsers buffer before they stop reading. */
const MAX_READ_BYTES = 2 * 1_048_576;

/** Sends the request `line` and then a body of BODY_BYTES, until the console closes the connection; `bytesRead` is what its server read. */
async function sendUntilAnswered(line: string, chunked: boolean): Promise<{ answer: string; bytesRead: number }> {
  const { hostname, port } = new URL(world.url);
  const socket = connect(Number(port), hostname).setEncoding('utf8');
  const length = chunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${BODY_BYTES}`;
  let answer = '';
  socket.on('data', (text: string) => (answer += text)).on('error', () => {});
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write([`${line} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', length, '', ''].join('\r\n'));
  let left = BODY_BYTES;
  const send = () => {
    while (left > 0 && !socket.destroyed) {
      left -= PIECE_BYTES;
      if (!socket.write(chunked ? HTTP_CHUNK : BODY_PIECE)) return;
    }
  };
  socket.on('drain', send);
  send();
  await closed;
  return { answer, bytesRead: [...acceptedSockets].reduce((sum, one) => sum + one.bytesRead, 0) };
}

test.each([
  ['a known route without a session', 'POST /manage/v1/processes', 401, 'MISSING_CREDENTIAL'],
  ['the login', 'POST /manage/v1/session', 413, 'PAYLOAD_TOO_LARGE'],
  ['an unknown route', 'POST /manage/v1/nothing', 404, 'NOT_FOUND'],
  ['a path outside the API', 'POST /nothing', 404, 'NOT_FOUND'],
  ['the health check', 'GET /health/live', 200, 'ok'],
  ['the metrics', 'GET /metrics', 200, 'console_http_seconds'],
  ['the path of the document, which answers GET', 'POST /manage/v1/openapi.json', 404, 'NOT_FOUND'],
])(
  'an unauthenticated caller is answered before its body is read, and its connection is closed: %s',
  async (_, line, status, word) => {
    for (const chunked of [false, true]) {
      acceptedSockets.clear();
      const { answer, bytesRead } = await sendUntilAnswered(line, chunked);
      expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
      expect(answer).toContain(word);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(bytesRead).toBeLessThan(MAX_READ_BYTES);
    }
  },
);

const logIn = (headers: Record<string, string>, body: Uint8Array | string) =>
  fetch(`${world.url}/manage/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });

test('no compressed body of an unauthenticated caller is decompressed', async () => {
  const body = gzipSync(JSON.stringify({ email: 'ana@example.com', password: 'x' }));
  const response = await logIn({ 'content-encoding': 'gzip' }, body);
  expect([response.status, await response.json()]).toEqual([
    400,
    { error: { code: 'BAD_REQUEST', message: 'Content-Encoding: send the body uncompressed' } },
  ]);
});

test('the body of a login may be as large as the longest e-mail address and password with every character escaped, and not larger', async () => {
  const escaped = (text: string, times: number) => text.repeat(times);
  const email = `${escaped('\\u0061', 200)}@${escaped('\\u0061', 53)}`;
  const password = escaped('\\ud83d\\ude00', 1_000);
  const longest = `{"email":"${email}","password":"${password}"}`;
  expect((await logIn({}, longest)).status).toBe(401);
  const response = await logIn({}, longest.padEnd(16_385));
  expect([response.status, await response.json()]).toEqual([
    413,
    { error: { code: 'PAYLOAD_TOO_LARGE', message: 'body: is above 16384 bytes' } },
  ]);
});

test('an unauthenticated client that sends a large body with fetch gets the refusal', async () => {
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: new Uint8Array(1_048_576) };
  for (let n = 0; n < 5; n += 1) {
    expect((await fetch(`${world.url}/manage/v1/processes`, init)).status).toBe(401);
  }
});
