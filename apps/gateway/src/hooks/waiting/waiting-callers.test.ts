import { Rpc } from '@batuta/messaging';
import { createLogger, LOGGER, Metrics } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { SchedulerRegistry } from '@nestjs/schedule';
import { Test } from '@nestjs/testing';
import { GatewayClock } from '../../common/gateway-clock';
import { GATEWAY_CONFIG } from '../../config';
import { GatewayMetrics } from '../../common/gateway.metrics';
import { WaitingCallers } from './waiting-callers';

const unsubscribe = jest.fn();
const subscribe = jest.fn(() => unsubscribe);
/** Stands in for `Rpc.call`: its requests never get a reply. */
const callWithoutReply = jest.fn(() => new Promise<never>(() => {}));

let metrics: Metrics;
let callers: WaitingCallers;

beforeEach(async () => {
  jest.clearAllMocks();
  metrics = new Metrics('test');
  const app = await Test.createTestingModule({
    providers: [
      WaitingCallers,
      // The functions read the clocks at each call, because the fake timers replace both.
      {
        provide: GatewayClock,
        useFactory: () =>
          new GatewayClock(
            () => Date.now(),
            () => performance.now(),
          ),
      },
      PeriodicTasks,
      SchedulerRegistry,
      { provide: LOGGER, useValue: createLogger('test', 'silent') },
      { provide: Rpc, useValue: { call: callWithoutReply, subscribe } },
      { provide: GATEWAY_CONFIG, useValue: { MOST_WAITING_CALLS: 10, COMPANY_WAITING_CALLS: 2, CLOSE_TIMEOUT_MS: 0 } },
      { provide: GatewayMetrics, useValue: new GatewayMetrics(metrics) },
    ],
  }).compile();
  callers = app.get(WaitingCallers);
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
  metrics.close();
});

test('a replica stays subscribed while callers wait, and for a moment after the last one', async () => {
  expect(subscribe).not.toHaveBeenCalled();
  const added = ['one', 'other'].map((instanceID) => callers.add(instanceID, Infinity, 'company'));
  await jest.advanceTimersByTimeAsync(60_000);
  expect([subscribe.mock.calls.length, unsubscribe.mock.calls.length]).toEqual([1, 0]);
  for (const caller of added) if (caller) callers.remove(caller);
  expect(unsubscribe).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(60_000);
  expect([unsubscribe.mock.calls.length, jest.getTimerCount()]).toEqual([1, 0]);
  callers.add('next', Infinity, 'company');
  expect(subscribe).toHaveBeenCalledTimes(2);
});

test('there is no second poll while execution has not replied to the first', async () => {
  callers.add('one', Infinity, 'company')?.accept();
  await jest.advanceTimersByTimeAsync(10_000);
  expect(callWithoutReply).toHaveBeenCalledTimes(1);
});

test('an instance whose start is not accepted yet is neither polled nor expired', async () => {
  const one = callers.add('one', 0, 'company');
  await jest.advanceTimersByTimeAsync(10_000);
  expect([callWithoutReply.mock.calls.length, one?.phase]).toEqual([0, 'starting']);
  one?.accept();
  await jest.advanceTimersByTimeAsync(100);
  // Because of its jitter, the poll of every second may fall into the same 100 ms.
  expect(callWithoutReply).toHaveBeenCalled();
  expect(one?.phase).toBe('expiring');
});

test.each([
  ['forward', 60_000],
  ['back', -60_000],
])('a step of the machine’s clock %s by a minute moves the deadline of no caller', async (_direction, step) => {
  const one = callers.add('one', Date.now() + 30_000, 'company');
  one?.accept();
  jest.setSystemTime(Date.now() + step);
  await jest.advanceTimersByTimeAsync(29_000);
  expect(one?.phase).toBe('waiting');
  await jest.advanceTimersByTimeAsync(1_100);
  expect(one?.phase).toBe('expiring');
});

test('a company with its maximum number of waiting callers gets no more until one of them leaves, and other companies do', () => {
  const first = callers.add('a', Infinity, 'company');
  callers.add('b', Infinity, 'company');
  expect(callers.add('c', Infinity, 'company')).toBeUndefined();
  expect(callers.add('d', Infinity, 'other')).toBeDefined();
  if (first) callers.remove(first);
  if (first) callers.remove(first);
  expect(callers.add('e', Infinity, 'company')).toBeDefined();
  expect(callers.add('f', Infinity, 'company')).toBeUndefined();
});
