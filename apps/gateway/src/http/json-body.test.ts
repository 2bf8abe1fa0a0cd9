import { setImmediate } from 'node:timers/promises';
import { requestWith } from '../../../../libs/http/test/requests';
import { readSmallBody } from './json-body';

const jsonOfLength = (size: number) => `{"pad":"${'x'.repeat(size - 10)}"}`;
const arrivedRequest = (text: string, headers: Record<string, string | undefined> = {}) =>
  requestWith([Buffer.from(text)], { 'content-length': String(text.length), ...headers });

test.each([
  ['a few bytes', '{"a":1}'],
  ['16 KB', jsonOfLength(16_384)],
])('a small body of %s is read in advance', async (_, text) => {
  const request = arrivedRequest(text);
  const body = readSmallBody(request);
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  expect(request.readableEnded).toBe(true);
  expect(await body).toEqual(JSON.parse(text));
});

test.each<[string, string, Record<string, string | undefined>]>([
  ['a body of one byte more than 16 KB', jsonOfLength(16_385), {}],
  ['a body without a length', '{"a":1}', { 'content-length': undefined, 'transfer-encoding': 'chunked' }],
  ['a body that says to be compressed', '{"a":1}', { 'content-encoding': 'gzip' }],
  ['an empty body', '', {}],
])('%s is not read in advance', async (_, text, headers) => {
  const request = arrivedRequest(text, headers);
  expect(readSmallBody(request)).toBeUndefined();
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  expect([request.listenerCount('data'), request.readableFlowing, request.readableEnded]).toEqual([0, null, false]);
});

test('nothing is read in the turn of the event loop that sends the query', () => {
  const request = arrivedRequest('{"a":1}');
  void readSmallBody(request);
  expect([request.listenerCount('data'), request.readableFlowing]).toEqual([0, null]);
});

test.each([
  ['no JSON', '{"a":', {}, 'BAD_REQUEST'],
  ['another charset', '{}', { 'content-type': 'application/json; charset=utf-16' }, 'UNSUPPORTED_CHARSET'],
])(
  'the early reading of a body with %s rejects its promise, which nobody has to await',
  async (_, text, headers, code) => {
    const [awaited, ignored] = [arrivedRequest(text, headers), arrivedRequest(text, headers)].map(readSmallBody);
    for (let turn = 0; turn < 3; turn += 1) await setImmediate();
    await expect(awaited).rejects.toMatchObject({ code });
    expect(ignored).toBeDefined();
  },
);
