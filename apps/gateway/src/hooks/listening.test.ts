import { Rpc } from '@batuta/messaging';
import { GatewayClock } from '../common/gateway-clock';
import { WaitingCalls } from './waiting';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Calls that wait on a bus where nobody ever answers. */
function create() {
  const stop = jest.fn();
  const subscribe = jest.fn(() => stop);
  const call = jest.fn(() => new Promise<never>(() => {}));
  const rpc: Pick<Rpc, 'call' | 'subscribe'> = { call, subscribe };
  const calls = new WaitingCalls(rpc, new GatewayClock(), { mostCalls: 10, closeMilliseconds: 0 });
  return { calls, subscribe, stop, call };
}

test('a replica listens only while somebody waits, and a little longer', () => {
  const { calls, subscribe, stop } = create();
  expect(subscribe).not.toHaveBeenCalled();
  const entered = ['one', 'other'].map((instanceID) => calls.enter(instanceID, Infinity));
  jest.advanceTimersByTime(60_000);
  expect([subscribe.mock.calls.length, stop.mock.calls.length]).toEqual([1, 0]);
  for (const call of entered) if (call) calls.leave(call);
  expect(stop).not.toHaveBeenCalled();
  jest.advanceTimersByTime(60_000);
  expect([stop.mock.calls.length, jest.getTimerCount()]).toEqual([1, 0]);
  calls.enter('next', Infinity);
  expect(subscribe).toHaveBeenCalledTimes(2);
});

test('an execution service that hangs is not asked again while it is asked', () => {
  const { calls, call } = create();
  calls.enter('one', Infinity)?.accept();
  jest.advanceTimersByTime(10_000);
  expect(call).toHaveBeenCalledTimes(1);
});

test('what was not accepted yet is not asked about, nor told that its time is up', () => {
  const { calls, call } = create();
  const one = calls.enter('one', 0);
  jest.advanceTimersByTime(10_000);
  expect([call.mock.calls.length, one?.phase]).toEqual([0, 'starting']);
  one?.accept();
  jest.advanceTimersByTime(100);
  expect([call.mock.calls.length, one?.phase]).toEqual([1, 'ending']);
});
