import { createServer, get, type ServerResponse } from 'node:http';
import { waitUntil } from '../../../test/support/wait-until';
import { listenOnFreePort } from '../../../test/support/web-server';
import { EventWriter } from './event-writer';

const LARGE_EVENT = { event: 'log' as const, id: '1', data: { message: 'x'.repeat(100_000) } };

/** Runs `serve` for one request of a client that never reads. */
async function withClientThatNeverReads(
  serve: (response: ServerResponse) => Promise<void>,
  holds: () => boolean,
): Promise<void> {
  const server = createServer((_, response) => void serve(response));
  const port = await listenOnFreePort(server);
  const client = get({ port, host: '127.0.0.1' }, () => {}).on('error', () => {});
  await waitUntil('the server has ended the stream', holds);
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
}

test('a client that does not read is cut off, and few events wait for it in memory', async () => {
  let written = 0;
  let ended = false;
  await withClientThatNeverReads(
    async (response) => {
      const writer = new EventWriter(response, new AbortController().signal, 50);
      writer.begin();
      for (; written < 10_000 && !response.destroyed; written += 1) await writer.write(LARGE_EVENT);
      ended = response.destroyed;
    },
    () => ended,
  );
  expect(written).toBeLessThan(1_000);
});

test('a stream that ends while its client does not read cuts the connection', async () => {
  let ended = false;
  await withClientThatNeverReads(
    async (response) => {
      const stream = new AbortController();
      const writer = new EventWriter(response, stream.signal);
      writer.begin();
      response.once('close', () => (ended = true));
      setImmediate(() => stream.abort());
      for (let n = 0; n < 10_000 && !response.destroyed; n += 1) await writer.write(LARGE_EVENT);
    },
    () => ended,
  );
  expect(ended).toBe(true);
});
