import { once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { Batuta } from '.';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
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
   * The ids of a stream with this many log lines, read by a caller that begins to work on the first one until `untilClosed` of the stream. The
   * server closes the connection behind the last event.
   */
  async function followSlowly(lines: number, untilClosed: (response: ServerResponse) => Promise<unknown>) {
    const closed: Promise<unknown>[] = [];
    const url = await serve(({ headers }, response) => {
      closed.push(untilClosed(response));
      const first = Number(headers['last-event-id'] ?? 0) + 1;
      response.useChunkedEncodingByDefault = false;
      response.writeHead(200, { connection: 'close', 'content-type': 'text/event-stream' });
      response.end(Array.from({ length: lines + 1 - first }, (_, n) => event(first + n)).join('') + END);
    });
    const ids: string[] = [];
    for await (const { id } of new Batuta({ url }).instance('i').events()) {
      ids.push(id);
      if (ids.length === 1) await closed[0];
    }
    return { ids, streams: closed.length };
  }
  const idsOf = (lines: number) => [...Array.from({ length: lines }, (_, n) => String(n + 1)), 'end'];

  test('events whose server closes the connection while the caller works on one of them are all read', async () => {
    const { ids } = await followSlowly(300, (response) => once(response, 'close'));
    expect(ids).toEqual(idsOf(300));
  });

  test('a stream of which more events wait for the caller than its memory should hold is continued later', async () => {
    const { ids, streams } = await followSlowly(4_000, ({ req: { socket } }) => {
      // Not `once` of node:events, which rejects when the client resets the connection.
      return new Promise((resolve) => socket.once('close', resolve));
    });
    expect(ids).toEqual(idsOf(4_000));
    expect(streams).toBeGreaterThan(1);
  });
});
