import { notifications } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { NOTIFICATION_INTERVAL_MS, QueueNotifier } from './queue-notifier';

function createNotifier() {
  const rpc: Rpc = Object.create(Rpc.prototype);
  const notify = jest.spyOn(rpc, 'notify').mockImplementation(() => undefined);
  const notified = () => notify.mock.calls.map(([, body]) => body);
  return { notifier: new QueueNotifier(rpc), notify, notified };
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('the first instance of a queue is notified in the turn in which it was queued', () => {
  const { notifier, notify } = createNotifier();
  notifier.onQueued('a');
  jest.advanceTimersByTime(0);
  expect(notify.mock.calls).toEqual([[notifications.work, { environmentID: 'a' }]]);
});

test('instances that are queued soon after a notification share the next one', () => {
  const { notifier, notified } = createNotifier();
  for (const id of ['a', 'a', 'b', 'a']) notifier.onQueued(id);
  jest.advanceTimersByTime(NOTIFICATION_INTERVAL_MS - 1);
  expect(notified()).toEqual([{ environmentID: 'a' }, { environmentID: 'b' }]);
  jest.advanceTimersByTime(2 * NOTIFICATION_INTERVAL_MS);
  expect(notified()).toEqual([{ environmentID: 'a' }, { environmentID: 'b' }, { environmentID: 'a' }]);
});

test('an instance that is queued after the interval is notified at once', () => {
  const { notifier, notified } = createNotifier();
  notifier.onQueued('a');
  jest.advanceTimersByTime(NOTIFICATION_INTERVAL_MS);
  notifier.onQueued('a');
  jest.advanceTimersByTime(0);
  expect(notified()).toHaveLength(2);
});

test('a service that stops sends the notifications that are due at once, and one for each instance that is queued later', () => {
  const { notifier, notified } = createNotifier();
  for (const id of ['a', 'a', 'b']) notifier.onQueued(id);
  jest.advanceTimersByTime(0);
  notifier.onModuleDestroy();
  for (const id of ['b', 'b']) notifier.onQueued(id);
  expect(notified()).toEqual(['a', 'b', 'a', 'b', 'b'].map((environmentID) => ({ environmentID })));
  expect(jest.getTimerCount()).toBe(0);
});
