import type { ReportFrame } from '@batuta/agent-protocol';
import { ApiError } from '@batuta/errors';
import { createLogger, Metrics } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { SchedulerRegistry } from '@nestjs/schedule';
import { FailingReports } from './failing-reports';

const SESSION = { id: 'session', environmentID: 'office' };
const AWAY = new ApiError('UNAVAILABLE');

let passedMs = 0;
let metrics: Metrics;
let failing: FailingReports;
let log: () => Promise<void>;
let lines: unknown[][];

beforeEach(() => {
  passedMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
  metrics = new Metrics('router');
  const logger = createLogger('router', 'silent');
  lines = [];
  jest.spyOn(logger, 'error').mockImplementation((...line: unknown[]) => void lines.push(line));
  const tasks = new PeriodicTasks(new SchedulerRegistry(), logger);
  const every = jest.spyOn(tasks, 'every').mockReturnValue({ stop: async () => {}, runWithin: () => {} });
  failing = new FailingReports(metrics, tasks, logger);
  failing.onApplicationBootstrap();
  log = async () => every.mock.calls[0]?.[2]();
});
afterEach(() => {
  metrics.close();
  jest.restoreAllMocks();
});

const reportOf = (instanceID: string): ReportFrame => ({ type: 'report', instanceID, fence: 1, seq: 3, lines: [] });
const failingSeconds = async () => {
  const { text } = await metrics.text();
  return Number(/^batuta_router_report_failing_seconds\{.*\} (.+)$/m.exec(text)?.[1]);
};

test('the gauge shows how long the report that fails longest has failed, and 0 when none fails', async () => {
  expect(await failingSeconds()).toBe(0);
  const [first, second] = [reportOf('a'), reportOf('b')];
  failing.add(SESSION, first, AWAY);
  passedMs = 30_000;
  failing.add(SESSION, second, AWAY);
  passedMs = 90_000;
  failing.add(SESSION, first, AWAY);
  expect(await failingSeconds()).toBe(90);
  failing.remove(first);
  expect(await failingSeconds()).toBe(60);
  failing.remove(second);
  expect(await failingSeconds()).toBe(0);
});

test('the log names the report that has failed longest, from a minute on, and the instances of others that also have', async () => {
  const longest = reportOf('a');
  failing.add(SESSION, longest, new Error('first'));
  failing.add(SESSION, reportOf('b'), AWAY);
  passedMs = 59_999;
  await log();
  expect(lines).toEqual([]);
  failing.add(SESSION, longest, AWAY);
  failing.add(SESSION, reportOf('young'), AWAY);
  passedMs = 60_000;
  await log();
  const fields = { instanceID: 'a', fence: 1, seq: 3, sessionID: 'session', environmentID: 'office' };
  expect(lines).toEqual([
    [{ err: AWAY, ...fields, attempts: 2, seconds: 60, others: 1, named: ['b'] }, expect.any(String)],
  ]);
});

test('a report that is no longer repeated is not logged', async () => {
  const report = reportOf('a');
  failing.add(SESSION, report, AWAY);
  passedMs = 60_000;
  failing.remove(report);
  await log();
  expect(lines).toEqual([]);
});
