import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
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
