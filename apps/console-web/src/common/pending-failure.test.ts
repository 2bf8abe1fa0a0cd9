import { pendingFailureOf } from './pending-failure';

const failed = (message: string, isPending: boolean) => ({ isPending, failureReason: new Error(message) });

test('the failure of the reads of a page is that of a read without an answer', () => {
  const untried = { isPending: true, failureReason: null };
  expect(pendingFailureOf(failed('again', false), untried)).toBeUndefined();
  expect(pendingFailureOf(failed('again', false), untried, failed('away', true))).toEqual(new Error('away'));
});
