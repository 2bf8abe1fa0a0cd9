import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { requestWith } from '../test/requests';
import { readInflatedBody } from './inflated-body';
import { MAX_BODY_BYTES, readRawBody } from './raw-body';

const largestBody = Buffer.alloc(MAX_BODY_BYTES, ' ');
const bodyOneByteTooLarge = Buffer.concat([largestBody, Buffer.from(' ')]);

const COMPRESSORS: [encoding: string, pack: (bytes: Buffer) => Buffer][] = [
  ['identity', (bytes) => bytes],
  ['gzip', (bytes) => gzipSync(bytes)],
  ['GZip', (bytes) => gzipSync(bytes)],
  ['deflate', (bytes) => deflateSync(bytes)],
  ['br', (bytes) => brotliCompressSync(bytes)],
];

test.each(COMPRESSORS)('a %s body is limited to the maximum size after decompression', async (encoding, pack) => {
  const read = (bytes: Buffer) => readInflatedBody(requestWith([pack(bytes)], { 'content-encoding': encoding }));
  expect((await read(largestBody)).equals(largestBody)).toBe(true);
  await expect(read(bodyOneByteTooLarge)).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
    message: expect.stringMatching(/^body:/),
  });
});

test('a compressed body is limited to the maximum size before decompression', async () => {
  const stored = gzipSync(largestBody, { level: 0 });
  expect(stored.length).toBeGreaterThan(MAX_BODY_BYTES);
  await expect(readInflatedBody(requestWith([stored], { 'content-encoding': 'gzip' }))).rejects.toMatchObject({
    code: 'PAYLOAD_TOO_LARGE',
  });
});

test.each([
  ['an uncompressed body', Buffer.from('{}'), 'gzip', /^body:/],
  ['half of a compressed body', gzipSync('{"a":1}').subarray(0, 15), 'gzip', /^body:/],
  ['a body of another compression', Buffer.from('{}'), 'compress', /^Content-Encoding:/],
  ['one compression inside another', gzipSync('{}'), 'br, gzip', /^Content-Encoding:/],
  ['a body whose encoding is no compression', Buffer.from('{}'), '__proto__', /^Content-Encoding:/],
])('in place of a compressed body, %s is refused', async (_, bytes, encoding, message) => {
  const read = readInflatedBody(requestWith([bytes], { 'content-encoding': encoding }));
  await expect(read).rejects.toMatchObject({ code: 'BAD_REQUEST', message: expect.stringMatching(message) });
});

test('an empty body is empty in every encoding', async () => {
  const empty = [{ 'content-length': '0' }, { 'transfer-encoding': 'chunked' }];
  for (const headers of empty) {
    expect(await readInflatedBody(requestWith([], { ...headers, 'content-encoding': 'gzip' }))).toHaveLength(0);
  }
});

test('readRawBody refuses compressed bytes', async () => {
  const request = requestWith([gzipSync('{}')], { 'content-encoding': 'gzip' });
  await expect(readRawBody(request)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringMatching(/^Content-Encoding:/),
  });
});
