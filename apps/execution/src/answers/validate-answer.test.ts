import { validateAnswer } from './validate-answer';

const KB_256 = 262_144;
const textOfBytes = (bytes: number) => JSON.stringify('x'.repeat(bytes - 2));

test.each([200, 201, 202, 400, 401, 403, 404, 409, 422, 500])('an answer with the code %i is valid', (code) => {
  expect(validateAnswer({ code, body: '{"a": 1}' })).toEqual({ answer: { valid: true, code, body: '{"a": 1}' } });
});

test.each([
  ['another code', 204, '{}', 'code: must be one of 200, 201'],
  ['a code as text', '200', '{}', 'code: must be one of 200, 201'],
  ['no code', undefined, '{}', 'code: must be one of 200, 201'],
  ['no body', 200, undefined, 'body: must be a text'],
  ['a body that is not text', 200, { a: 1 }, 'body: must be a text'],
  ['a body that is not JSON', 200, '{a: 1}', 'body: is not JSON text'],
  ['a body with a name that could be read as another one', 200, String.raw`{"caf\\": 1}`, 'body: is not JSON text'],
  ['an empty body', 200, '', 'body: is not JSON text'],
  ['a body above 256 KB', 200, textOfBytes(KB_256 + 1), 'above 262144'],
  [
    'a body whose bytes, but not its characters, exceed 256 KB',
    200,
    JSON.stringify('\u00e9'.repeat(KB_256 / 2)),
    'above 262144',
  ],
])('an answer with %s is not valid, and the problem says so', (_, code, body, problem) => {
  const expected = { answer: { valid: false }, problem: expect.stringContaining(problem) };
  expect(validateAnswer({ code, body })).toEqual(expected);
});

test('an answer of exactly 256 KB is valid', () => {
  expect(validateAnswer({ code: 200, body: textOfBytes(KB_256) })).toMatchObject({ answer: { valid: true } });
});
