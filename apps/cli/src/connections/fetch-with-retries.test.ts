import type { RequestListener } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startWebServer, type WebServer } from '../../../../test/support/web-server';
import { fetchWithRetries } from './fetch-with-retries';

/** The pause in seconds before a call is repeated that was answered with `status`; undefined when it is not repeated. */
async function firstPauseOf(method: string, status: number, retryAfter?: string): Promise<number | undefined> {
  const interruption = new AbortController();
  let first: number | undefined;
  const fetch = fetchWithRetries({
    signal: interruption.signal,
    onPause: (seconds) => {
      first = seconds;
      interruption.abort();
    },
    fetch: async () =>
      new Response('', { status, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } }),
  });
  await fetch(new Request('http://127.0.0.1/manage/v1/processes', { method })).catch(() => undefined);
  return first;
}

test.each([429, 503])('a GET is repeated after the time that the Retry-After of a %s names', async (status) => {
  expect(await firstPauseOf('GET', status, '7')).toBe(7);
});

test('a POST is repeated after a 429, and not after a 503, which may have taken effect', async () => {
  expect(await firstPauseOf('POST', 429, '7')).toBe(7);
  expect(await firstPauseOf('POST', 503, '7')).toBeUndefined();
});

test.each(['3600', '99999999', 'Fri, 01 Jan 2100 00:00:00 GMT'])(
  'a call is not repeated when the Retry-After of a 429 demands a pause that is too long: %s',
  async (retryAfter) => {
    expect(await firstPauseOf('GET', 429, retryAfter)).toBeUndefined();
  },
);

test('a GET is repeated after a short pause when a 503 names no time', async () => {
  expect(await firstPauseOf('GET', 503)).toBeLessThan(1);
});

describe('garbage collection', () => {
  let server: WebServer | undefined;
  afterEach(() => server?.stop());

  test.each<[string, RequestListener]>([
    ['no answer', () => undefined],
    ['a stream', (_request, response) => response.writeHead(200).write('retry: 1')],
  ])('a call with %s ends when the user interrupts it after a garbage collection', async (_what, listener) => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    const asked = Promise.withResolvers<void>();
    server = await startWebServer((request, response) => {
      listener(request, response);
      asked.resolve();
    });
    const interruption = new AbortController();
    const fetch = fetchWithRetries({ signal: interruption.signal, onPause: () => undefined });
    const ended = fetch(new Request(server.url))
      .then((response) => response.text())
      .catch((error: unknown) => error);
    await asked.promise;
    for (let turn = 0; turn < 10; turn += 1) {
      await new Promise(setImmediate);
      collect();
    }
    interruption.abort(new Error('enough'));
    expect(await ended).toMatchObject({ message: 'enough' });
  });
});
