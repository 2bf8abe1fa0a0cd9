import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MAX_BODY_BYTES, readRawBody } from './raw-body';

const EVENTS = ['data', 'end', 'error', 'close'];

function requestWith(...pieces: Buffer[]): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  for (const piece of [...pieces, null]) request.push(piece);
  return request;
}
const listeners = (request: IncomingMessage) => EVENTS.map((event) => request.listenerCount(event));

test('nothing of a body is held by its request once it was read or refused', async () => {
  const read = requestWith(Buffer.from('{"a":'), Buffer.from('1}'));
  const refused = requestWith(Buffer.alloc(MAX_BODY_BYTES), Buffer.from('x'));
  const before = listeners(requestWith());
  expect(String(await readRawBody(read))).toBe('{"a":1}');
  await expect(readRawBody(refused)).rejects.toThrow('above');
  expect([listeners(read), listeners(refused)]).toEqual([before, before]);
});

test('a request that broke off before it was read is refused at once', async () => {
  const request = new IncomingMessage(new Socket());
  request.destroy();
  await expect(readRawBody(request)).rejects.toThrow('ended too early');
});

test('a body that comes byte by byte takes no more memory than its bytes', async () => {
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
  // What a turn of the event loop has touched is kept to its end.
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
])('%s are read as they came', async (_, sizes) => {
  const pieces = sizes.map((size, index) => Buffer.alloc(size, index % 251));
  const bytes = await readRawBody(requestWith(...pieces));
  expect(bytes.equals(Buffer.concat(pieces))).toBe(true);
});
