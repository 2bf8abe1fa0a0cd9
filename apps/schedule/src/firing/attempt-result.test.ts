import { ApiError, type ErrorCode } from '@batuta/errors';
import {
  acceptedResult,
  ATTEMPT_LEASE_MS,
  ATTEMPT_TIMEOUT_MS,
  pauseAfterFiringAttempt,
  unconfirmedResult,
} from './attempt-result';

test.each([
  [-500, 'fired'],
  [0, 'fired'],
  [60_000, 'fired'],
  [60_001, 'late'],
])('a start that is accepted %i ms after its nominal time is %s', (delayMs, result) =>
  expect(acceptedResult(delayMs)).toEqual({ result }),
);

const FINAL_CODES: ErrorCode[] = [
  'PROCESS_NOT_PUBLISHED',
  'PROCESS_NOT_FOUND',
  'INVALID_MATRIX',
  'INVALID_ENVIRONMENT',
  'INSUFFICIENT_CREDITS',
  'AGENT_OFFLINE',
  'RATE_LIMITED',
  'OWNER_INACTIVE',
];

test.each(FINAL_CODES)('the refusal %s is final and keeps its code and message', (code) => {
  const reason = { code, message: 'total: why' };
  expect(unconfirmedResult(new ApiError(code, 'total: why'), false)).toEqual({ result: 'failed', reason });
});

test.each([
  ['UNAVAILABLE', false, 'pending'],
  ['UNAVAILABLE', true, 'pending'],
  ['ROUTER_ERROR', false, 'pending'],
  ['ROUTER_ERROR', true, 'failed'],
  ['INTERNAL', false, 'pending'],
  ['INTERNAL', true, 'failed'],
] as const)('after %s (expired: %s) the firing is %s', (code, expired, result) => {
  expect(unconfirmedResult(new ApiError(code), expired)).toMatchObject({ result, reason: { code } });
});

test('an unexpected error is retried and its detail is not stored', () => {
  const { reason } = { reason: { code: '', message: '' }, ...unconfirmedResult(new Error('secret detail'), false) };
  expect(reason.code).toBe('INTERNAL');
  expect(reason.message).not.toContain('secret');
});

test('the pause doubles up to half a minute, and a lease lasts longer than an attempt', () => {
  expect([1, 2, 3, 6, 60].map(pauseAfterFiringAttempt)).toEqual([1_000, 2_000, 4_000, 30_000, 30_000]);
  expect(ATTEMPT_LEASE_MS).toBeGreaterThan(ATTEMPT_TIMEOUT_MS);
});
