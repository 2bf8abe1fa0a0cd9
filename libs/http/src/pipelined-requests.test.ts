import express from 'express';
import { once } from 'node:events';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { waitUntil } from '../../../test/support/wait-until';
import { listenOnFreePort } from '../../../test/support/web-server';
import { awaitPreviousAnswer } from './pipelined-requests';

const begun: { path: string; answer: () => void }[] = [];
const app = express();
app.use(awaitPreviousAnswer);
app.get('/:name', ({ path }, response) => {
  if (path === '/last') response.set('Connection', 'close');
  begun.push({ path, answer: () => response.send(path) });
});
const server = createServer(app);
let port: number;
beforeAll(async () => {
  port = await listenOnFreePort(server);
});
beforeEach(() => void begun.splice(0));
afterAll(() => server.close());

function open() {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => (text += bytes.toString()));
  const ask = (...paths: string[]) =>
    socket.write(paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: test\r\n\r\n`).join(''));
  return { socket, ask, received: () => text };
}
const paths = () => begun.map(({ path }) => path);

test('requests that one connection sends together are handled one after the other, in order', async () => {
  const { socket, ask, received } = open();
  ask('/a', '/b', '/c');
  for (const expected of [['/a'], ['/a', '/b'], ['/a', '/b', '/c']]) {
    await waitUntil('the next request begins', () => begun.length === expected.length);
    expect(paths()).toEqual(expected);
    begun.at(-1)?.answer();
  }
  await waitUntil('all answers arrive', () => received().includes('\r\n/c'));
  socket.destroy();
});

test('a request that waits is not handled when the answer before it ends the connection', async () => {
  const { socket, ask, received } = open();
  ask('/last', '/b');
  await waitUntil('the first request begins', () => begun.length === 1);
  begun[0]?.answer();
  await once(socket, 'close');
  expect([paths(), received().match(/HTTP/g)]).toEqual([['/last'], ['HTTP']]);
});

test('requests of other connections do not wait', async () => {
  const [one, other] = [open(), open()];
  one.ask('/a', '/b');
  await waitUntil('the first request begins', () => begun.length === 1);
  other.ask('/x');
  await waitUntil('the request of the other connection begins', () => begun.length === 2);
  expect(paths()).toEqual(['/a', '/x']);
  one.socket.destroy();
  other.socket.destroy();
});

test('a request that waits is not handled after its connection has closed', async () => {
  const { socket, ask } = open();
  ask('/a', '/b');
  await waitUntil('the first request begins', () => begun.length === 1);
  socket.destroy();
  const other = open();
  other.ask('/x');
  await waitUntil('a request of another connection begins', () => paths().includes('/x'));
  expect(paths()).toEqual(['/a', '/x']);
  other.socket.destroy();
});

test('a connection whose answer was sent has its next request handled at once', async () => {
  const { socket, ask, received } = open();
  ask('/a');
  await waitUntil('the request begins', () => begun.length === 1);
  begun[0]?.answer();
  await waitUntil('the answer arrives', () => received().includes('\r\n/a'));
  ask('/b');
  await waitUntil('the next request begins', () => begun.length === 2);
  expect(paths()).toEqual(['/a', '/b']);
  socket.destroy();
});

/** Handles a request with a body on the connection, and ends its response. Returns a reference that keeps nothing in memory. */
function handleRequestWithBody(socket: Socket): WeakRef<object> {
  const body = { text: 'large' };
  const request = Object.assign(new IncomingMessage(socket), { body });
  const response = new ServerResponse(request);
  awaitPreviousAnswer(request, response, () => {});
  response.emit('close');
  return new WeakRef(body);
}

test('an idle connection keeps no body of an answered request in memory', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  const socket = new Socket();
  const body = handleRequestWithBody(socket);
  // V8 keeps the objects that a turn of the event loop has used until that turn ends.
  await new Promise(setImmediate);
  if (typeof collect === 'function') collect();
  expect(body.deref()).toBeUndefined();
  expect(socket.destroyed).toBe(false);
});
