import { Rpc } from '@batuta/messaging';

/**
 * The minimum time limit of every call over NATS after `extendCallTimeLimits`. A test of a missing answer sets it to 0, which extends
 * nothing, and back.
 */
export const minimumCallTimeLimit = { milliseconds: 20_000 };

/** Time limit of a test's own statements: on a busy machine the insertion of thousands of rows takes seconds. */
export const LONG_STATEMENT_MS = 60_000;

/**
 * Extends the time limits of all calls over NATS in this test file, so that an answer that is late on a busy machine does not
 * count as lost. Most tests are not about lost answers.
 */
export function extendCallTimeLimits(): void {
  const call = Reflect.get(Rpc.prototype, 'call');
  if (jest.isMockFunction(call)) return;
  jest.spyOn(Rpc.prototype, 'call').mockImplementation(function withLongTimeLimit(
    this: Rpc,
    subject,
    request,
    options = {},
  ) {
    const timeout = Math.max(options.timeout ?? 0, minimumCallTimeLimit.milliseconds) || undefined;
    return Reflect.apply(call, this, [subject, request, { ...options, timeout }]);
  });
}
