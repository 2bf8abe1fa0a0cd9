import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startWebServer, type WebServer } from '../../../test/support/web-server';
import { Batuta } from '.';

let server: WebServer | undefined;
let collect: () => void;
beforeAll(() => {
  setFlagsFromString('--expose-gc');
  collect = runInNewContext('gc');
});
afterEach(() => server?.stop());

async function serve(listener: RequestListener): Promise<string> {
  server = await startWebServer(listener);
  return server.url;
}

/** Collects the garbage of several turns of the event loop. */
async function collectGarbage(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) {
    await new Promise(setImmediate);
    collect();
  }
}

test.each<[string, RequestListener]>([
  ['no answer', () => undefined],
  ['half of an answer', (_request, response) => response.writeHead(200).write('{"vers')],
])('a call with %s ends at its time limit, although garbage is collected meanwhile', async (_what, listener) => {
  const batuta = new Batuta({ url: await serve(listener), timeout: 500 });
  const collections = setInterval(collect, 20);
  const fault = await batuta.ping().catch((error: unknown) => error);
  clearInterval(collections);
  expect(fault).toMatchObject({ name: 'BatutaUnreachable', cause: { name: 'TimeoutError' } });
});

test('a call that its caller aborts ends, although garbage was collected before', async () => {
  const batuta = new Batuta({ url: await serve(() => undefined) });
  const stop = new AbortController();
  const ended = batuta
    .instance('i')
    .status({ signal: stop.signal })
    .catch((error: unknown) => error);
  await collectGarbage();
  stop.abort(new Error('enough'));
  expect(await ended).toMatchObject({ cause: { message: 'enough' } });
});

test('events whose caller aborts end and close the connection, although garbage was collected before', async () => {
  let closed: Promise<unknown> | undefined;
  const url = await serve((_request, response) => {
    closed = once(response, 'close');
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('event: log\nid: 1\ndata: {}\n\n');
  });
  const stop = new AbortController();
  const events = new Batuta({ url }).instance('i').events({ signal: stop.signal });
  expect(await events.next()).toMatchObject({ value: { event: 'log' } });
  const ended = events.next().catch((error: unknown) => error);
  await collectGarbage();
  stop.abort(new Error('enough'));
  expect(await ended).toMatchObject({ message: 'enough' });
  await closed;
});
