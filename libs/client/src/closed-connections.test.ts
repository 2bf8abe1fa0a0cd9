import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { startWebServer, type WebServer } from '../../../test/support/web-server';
import { Batuta } from '.';

let server: WebServer | undefined;
afterEach(() => server?.stop());

async function serve(listener: RequestListener): Promise<string> {
  server = await startWebServer(listener);
  return server.url;
}

test('a large answer is read whole from a server that compresses answers and then closes the connection', async () => {
  const version = Array.from({ length: 200_000 }, (_, n) => `line ${n * 7_919}`).join('\n');
  const url = await serve(({ headers }, response) => {
    const compressed = /gzip/.test(String(headers['accept-encoding']));
    // Without a length the end of the connection is the end of the body.
    response.useChunkedEncodingByDefault = false;
    response.writeHead(200, { connection: 'close', ...(compressed && { 'content-encoding': 'gzip' }) });
    const body = JSON.stringify({ version });
    response.end(compressed ? gzipSync(body) : body);
  });
  expect((await new Batuta({ url }).ping()).version === version).toBe(true);
});

describe('slow callers', () => {
  const event = (id: number) => `event: log\nid: ${id}\ndata: ${JSON.stringify({ message: 'x'.repeat(1_000) })}\n\n`;
  const END = 'event: status\nid: end\ndata: {"status":"success","finishedAt":"2026-11-20T14:03:09.480Z"}\n\n';

  /**
   * The ids of a stream with this many log lines, whose server closes the connection behind the last event, and the number of streams. The caller
   * does `work` for each event.
   */
  async function followSlowly(lines: number, work: (events: number, closed: Promise<void>) => unknown) {
    const closed: Promise<void>[] = [];
    const url = await serve(({ headers, socket }, response) => {
      // Not `once` of node:events, which rejects when the client resets the connection.
      closed.push(new Promise((resolve) => socket.once('close', () => resolve())));
      const first = Number(headers['last-event-id'] ?? 0) + 1;
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { connection: 'close', 'content-type': 'text/event-stream' });
      response.end(Array.from({ length: lines + 1 - first }, (_, n) => event(first + n)).join('') + END);
    });
    const ids: string[] = [];
    for await (const { id } of new Batuta({ url }).instance('i').events()) {
      ids.push(id);
      await work(ids.length, Promise.race(closed));
    }
    return { ids, streams: closed.length };
  }
  const idsOf = (lines: number) => [...Array.from({ length: lines }, (_, n) => String(n + 1)), 'end'];

  test.each([126, 500])(
    'all of %i events are read although their server closes the connection while the caller works on one of them',
    async (lines) => {
      // Each turn of the event loop brings data that the caller does not take yet.
      const { ids } = await followSlowly(lines, () => new Promise(setImmediate));
      expect(ids).toEqual(idsOf(lines));
    },
  );

  test('a stream of which more events wait for the caller than its memory should hold is continued later', async () => {
    const { ids, streams } = await followSlowly(4_000, (events, closed) => events === 1 && closed);
    expect(ids).toEqual(idsOf(4_000));
    expect(streams).toBeGreaterThan(1);
  });
});
