import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import { listenOnFreePort } from '../../../test/support/web-server';
import { sendPicture, type PictureSource } from './picture-answer';

const CONTENT = Buffer.alloc(3_000_000, 'picture');
/** The bytes of the picture that one read returns. */
const READ_BYTES = 700_000;

let server: Server | undefined;
afterEach(() => server?.close());

/**
 * The answer to a request with the pages that `read` returns, the offsets of these pages, and the number of listeners that the response has for its
 * end when each page is read.
 */
async function answerWithPicture(read = pageFrom, admit: PictureSource['admit'] = () => {}, method = 'GET') {
  const offsets: number[] = [];
  const closeListeners: number[] = [];
  let failure: unknown;
  server = createServer((_, response) => {
    const recording = (offset: number) => {
      offsets.push(offset);
      closeListeners.push(response.listenerCount('close'));
      return read(offset);
    };
    sendPicture(response, 'evidence-1', { read: recording, admit }).catch((error: unknown) => {
      failure = error;
      response.writeHead(404).end();
    });
  });
  const port = await listenOnFreePort(server);
  const call = request({ port, host: '127.0.0.1', agent: false, method }).end();
  const [response]: IncomingMessage[] = await once(call, 'response');
  if (!response) throw new Error('no response');
  return { response, offsets, closeListeners, failure: () => failure };
}

async function pageFrom(offset: number) {
  const data = CONTENT.subarray(offset, offset + READ_BYTES).toString('base64');
  return { mediaType: 'image/png' as const, bytes: CONTENT.length, data };
}

async function bodyOf(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  return Buffer.concat(chunks);
}

test('a picture is sent page by page, with the headers that keep browsers from guessing and caches from keeping it', async () => {
  const { response, offsets } = await answerWithPicture();
  expect((await bodyOf(response)).equals(CONTENT)).toBe(true);
  expect(offsets).toEqual([0, 700_000, 1_400_000, 2_100_000, 2_800_000]);
  expect(response.headers).toMatchObject({
    'content-type': 'image/png',
    'content-length': '3000000',
    'content-disposition': 'inline; filename="evidence-1.png"',
    'cache-control': 'private, no-store',
  });
});

test('each page of a picture leaves no listener behind', async () => {
  const { response, closeListeners } = await answerWithPicture();
  await bodyOf(response);
  expect(closeListeners).toEqual(Array.from({ length: 5 }, () => closeListeners[0]));
});

test('HEAD is answered with the headers of the picture, of which only the first page is read', async () => {
  const { response, offsets } = await answerWithPicture(undefined, undefined, 'HEAD');
  await bodyOf(response);
  expect([response.headers['content-length'], offsets]).toEqual(['3000000', [0]]);
});

test('an error before the first page is thrown, and the answer is the caller’s', async () => {
  const { response, failure } = await answerWithPicture(() => Promise.reject(new Error('unknown')));
  await bodyOf(response);
  expect([response.statusCode, failure()]).toEqual([404, new Error('unknown')]);
});

test('a page of a picture counts its bytes in memory, and a whole picture those that are sent; a picture without room is not sent', async () => {
  const admitted: number[][] = [];
  const { response, failure } = await answerWithPicture(undefined, (...bytes) => {
    admitted.push(bytes);
    throw new Error('no room');
  });
  await bodyOf(response);
  expect([response.statusCode, failure()]).toEqual([404, new Error('no room')]);
  expect(admitted).toEqual([[(await pageFrom(0)).data.length, 3_000_000]]);
});

test.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['has no bytes', async () => ({ ...(await pageFrom(0)), data: '' })],
])('a later page that %s cuts the connection', async (_what, later) => {
  const { response } = await answerWithPicture((offset) => (offset === 0 ? pageFrom(0) : later()));
  await expect(bodyOf(response)).rejects.toThrow(/aborted/);
});

test('a client that reads nothing stops the reading of pages, and none is read once it has gone', async () => {
  // The picture is larger than the socket buffers of both ends of the connection, so that backpressure stops the reading.
  const endless = async () => ({ ...(await pageFrom(0)), bytes: 300_000_000 });
  const { response, offsets } = await answerWithPicture(endless);
  response.destroy();
  if (server) await once(server.close(), 'close');
  expect(offsets.length).toBeLessThan(300_000_000 / READ_BYTES);
});
