import { CallError } from './error';

const answer = (status: number, headers: Record<string, string> = {}) => new Response(null, { status, headers });

test('a refusal keeps its code, message, request id and the seconds to wait', () => {
  const error = CallError.of(answer(429, { 'x-request-id': 'r1', 'retry-after': '42' }), {
    error: { code: 'RATE_LIMITED', message: 'Too many calls.' },
  });
  expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', message: 'Too many calls.' });
  expect(error).toMatchObject({ requestID: 'r1', retryAfter: 42, isTemporary: true });
});

test.each([undefined, '<h1>Bad Gateway</h1>', { error: 'no' }, { error: { code: 7, message: 'x' } }])(
  'an answer without an envelope is UNREADABLE: %p',
  (body) => {
    expect(CallError.of(answer(502), body)).toMatchObject({ code: 'UNREADABLE', retryAfter: undefined });
  },
);

test.each([
  ['processName: is empty', { path: 'processName', text: 'is empty' }],
  ['matrix[2].name: is taken', { path: 'matrix[2].name', text: 'is taken' }],
  ['The session has expired; log in again.', undefined],
  ['email, password: no account has them', undefined],
])('the field that the message "%s" names is %p', (message, field) => {
  expect(CallError.of(answer(400), { error: { code: 'BAD_REQUEST', message } }).field).toEqual(field);
});

test('an error is temporary when no answer arrived, and not when the call is wrong or not allowed', () => {
  const temporary = [400, 401, 403, 404, 409].map((status) => CallError.of(answer(status), undefined).isTemporary);
  expect(temporary).toEqual([false, false, false, false, false]);
  expect(CallError.unreachable(new TypeError('fetch failed')).isTemporary).toBe(true);
});
