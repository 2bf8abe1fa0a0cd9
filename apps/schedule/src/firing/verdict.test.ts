import { ApiError, type ErrorCode } from '@batuta/errors';
import { accepted, ANSWER_MILLISECONDS, LEASE_MILLISECONDS, pauseAfter, refused } from './verdict';

test.each([
  [-500, 'fired'],
  [0, 'fired'],
  [60_000, 'fired'],
  [60_001, 'late'],
])('%i ms after its time it is %s', (lateness, result) => expect(accepted(lateness)).toEqual({ result }));

const FINAL: ErrorCode[] = [
  'PROCESS_NOT_PUBLISHED',
  'PROCESS_NOT_FOUND',
  'INVALID_MATRIX',
  'INVALID_ENVIRONMENT',
  'INSUFFICIENT_CREDITS',
  'AGENT_OFFLINE',
  'OWNER_INACTIVE',
];

test.each(FINAL)('%s is final, with its code and message', (code) => {
  const reason = { code, message: 'total: why' };
  expect(refused(new ApiError(code, 'total: why'), false)).toEqual({ result: 'failed', reason });
});

test.each([
  ['UNAVAILABLE', false, 'pending'],
  ['UNAVAILABLE', true, 'pending'],
  ['ROUTER_ERROR', false, 'pending'],
  ['ROUTER_ERROR', true, 'failed'],
  ['INTERNAL', false, 'pending'],
  ['INTERNAL', true, 'failed'],
] as const)('after %s, expired: %s, it is %s', (code, expired, result) => {
  expect(refused(new ApiError(code), expired)).toMatchObject({ result, reason: { code } });
});

test('a fault of our own is another attempt, without its detail', () => {
  const { reason } = { reason: { code: '', message: '' }, ...refused(new Error('secret detail'), false) };
  expect(reason.code).toBe('INTERNAL');
  expect(reason.message).not.toContain('secret');
});

test('the pauses grow to half a minute, and a lease outlives an answer', () => {
  expect([1, 2, 3, 6, 60].map(pauseAfter)).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
  expect(LEASE_MILLISECONDS).toBeGreaterThan(ANSWER_MILLISECONDS);
});
