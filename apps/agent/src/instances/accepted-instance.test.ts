import { setImmediate as turn } from 'node:timers/promises';
import { offerOf } from '../../test/fake-router';
import { AcceptedInstance, type ReportSink } from './accepted-instance';

const END = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const response = { code: 200, body: '{}' };
const line = { timestamp: '2026-01-05T12:00:00.000Z', severity: 'INFO' as const, message: 'm', stepID: 's' };

// Nobody moves the clock: what is told all the same does not wait for company.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/** Begins an instance whose flow does this; gives what it has to send each time it says that there is something. */
function begin(flow: (sink: ReportSink) => Promise<void>, awaited = true) {
  const told: unknown[] = [];
  const run = async (_offer: unknown, _control: unknown, sink: ReportSink) => {
    await flow(sink);
    return END;
  };
  new AcceptedInstance(offerOf([], { awaited }), run, (one) => told.push(one.nextReport())).begin('run');
  return told;
}

const forever = () => new Promise<void>(() => undefined);

test.each([
  [20, false],
  [200, true],
])('a line waits %i ms for company when a caller waits for an answer: %s', async (milliseconds, awaited) => {
  const told = begin(async ({ log }) => {
    await log(line);
    await forever();
  }, awaited);
  await turn();
  await jest.advanceTimersByTimeAsync(milliseconds - 1);
  expect(told).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(told).toMatchObject([{ lines: [line] }]);
});

test('once the caller is answered, lines wait as little as ever', async () => {
  let goOn: () => void = () => undefined;
  const told = begin(async ({ log, answer }) => {
    answer(response);
    await new Promise<void>((resolve) => {
      goOn = resolve;
    });
    await log(line);
    await forever();
  });
  await turn();
  expect(told).toMatchObject([{ response }]);
  goOn();
  await jest.advanceTimersByTimeAsync(20);
  expect(told).toHaveLength(2);
});

test('an answer does not wait, and takes along the lines before and just after it', async () => {
  const told = begin(async ({ log, answer }) => {
    await log(line);
    answer(response);
    await log(line);
    await forever();
  });
  await turn();
  await turn();
  expect(told).toMatchObject([{ seq: 1, lines: [line, line], response }]);
});

test('a flow that ends right after its answer tells both at once', async () => {
  const told = begin(({ answer }) => Promise.resolve(answer(response)));
  await turn();
  expect(told[0]).toMatchObject({ seq: 1, response, end: END });
});
