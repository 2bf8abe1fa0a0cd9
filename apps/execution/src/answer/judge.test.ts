import { judgeResponse } from './judge';

const KB_256 = 262_144;
const quoted = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

test.each([200, 201, 202, 400, 401, 403, 404, 409, 422, 500])('%i may be answered', (code) => {
  expect(judgeResponse({ code, body: '{"a": 1}' })).toEqual({ valid: true, code, body: '{"a": 1}' });
});

test.each([
  ['another code', 204, '{}'],
  ['a code as text', '200', '{}'],
  ['no code', undefined, '{}'],
  ['no body', 200, undefined],
  ['a body that is no text', 200, { a: 1 }],
  ['a body that is no JSON', 200, '{a: 1}'],
  ['an empty body', 200, ''],
  ['a body above 256 KB', 200, quoted(KB_256 + 1)],
  ['a body above 256 KB in bytes only', 200, JSON.stringify('\u00e9'.repeat(KB_256 / 2))],
])('%s is not valid', (_, code, body) => expect(judgeResponse({ code, body })).toEqual({ valid: false }));

test('256 KB are still taken', () => {
  expect(judgeResponse({ code: 200, body: quoted(KB_256) })).toMatchObject({ valid: true });
});
