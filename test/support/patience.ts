import { Rpc } from '@batuta/messaging';

/** The least that anybody waits for an answer over NATS. A test of silence sets it to 0, and back. */
export const patience = { milliseconds: 20_000 };

/**
 * From now on no service of this test file takes an answer for lost that is only late. Where the machine is starved any
 * may be, and what becomes of a lost one (it is asked for again, the caller is told) is no matter of most tests.
 */
export function expectLateAnswers(): void {
  const call = Reflect.get(Rpc.prototype, 'call');
  if (jest.isMockFunction(call)) return;
  jest.spyOn(Rpc.prototype, 'call').mockImplementation(function patient(this: Rpc, subject, request, options = {}) {
    const timeout = Math.max(options.timeout ?? 0, patience.milliseconds) || undefined;
    return Reflect.apply(call, this, [subject, request, { ...options, timeout }]);
  });
}
