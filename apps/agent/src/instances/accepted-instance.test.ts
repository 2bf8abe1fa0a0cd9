import { setImmediate as turn } from 'node:timers/promises';
import { offerOf } from '../../test/fake-router';
import { AcceptedInstance, type ReportSink } from './accepted-instance';

const FINALIZED_END = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };
const response = { code: 200, body: '{}' };
const line = { timestamp: '2026-01-05T12:00:00.000Z', severity: 'INFO' as const, message: 'm', stepID: 's' };

// The clock stands still, so a report that is sent did not wait for the batch delay.
beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
afterEach(() => jest.useRealTimers());

/**
 * Begins an instance with this flow. Returns the list of its reports, to which one is added each time the instance has
 * something to report.
 */
function beginInstance(flow: (sink: ReportSink) => Promise<void>, awaited = true) {
  const reports: unknown[] = [];
  const run = async (_offer: unknown, _control: unknown, sink: ReportSink) => {
    await flow(sink);
    return FINALIZED_END;
  };
  new AcceptedInstance(offerOf([], { awaited }), run, (one) => reports.push(one.nextReport())).begin('run', 60_000);
  return reports;
}

const neverResolves = () => new Promise<void>(() => undefined);

test.each([
  [20, false],
  [200, true],
])('a line waits %i ms for a batch if a caller waits for an answer is %s', async (milliseconds, awaited) => {
  const reports = beginInstance(async ({ log }) => {
    await log(line);
    await neverResolves();
  }, awaited);
  await turn();
  await jest.advanceTimersByTimeAsync(milliseconds - 1);
  expect(reports).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  expect(reports).toMatchObject([{ lines: [line] }]);
});

test('after the answer lines wait only the short delay', async () => {
  let proceed: () => void = () => undefined;
  const reports = beginInstance(async ({ log, answer }) => {
    answer(response);
    await new Promise<void>((resolve) => {
      proceed = resolve;
    });
    await log(line);
    await neverResolves();
  });
  await turn();
  expect(reports).toMatchObject([{ response }]);
  proceed();
  await jest.advanceTimersByTimeAsync(20);
  expect(reports).toHaveLength(2);
});

test('an answer is sent at once with the lines before and just after it', async () => {
  const reports = beginInstance(async ({ log, answer }) => {
    await log(line);
    answer(response);
    await log(line);
    await neverResolves();
  });
  await turn();
  await turn();
  expect(reports).toMatchObject([{ seq: 1, lines: [line, line], response }]);
});

test('the answer and the end of a flow that ends at once are one report', async () => {
  const reports = beginInstance(({ answer }) => Promise.resolve(answer(response)));
  await turn();
  expect(reports[0]).toMatchObject({ seq: 1, response, end: FINALIZED_END });
});
