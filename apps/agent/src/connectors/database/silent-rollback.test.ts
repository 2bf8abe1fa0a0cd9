import { createFlowWorld, useSandbox } from '../../../test/flow-world';
import { FakeSqlServer, refused } from '../../../test/fake-sql-server';

const sandbox = useSandbox({ workers: 1 });
const CLEAN_UP_TIME_LIMIT_MS = 5_000;
/** All that jest can replace besides the timers of time limits. */
const REAL = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setInterval',
  'clearInterval',
] as const;
let server: Awaited<ReturnType<typeof FakeSqlServer.create>>;

beforeEach(async () => {
  server = await FakeSqlServer.create();
  jest.useFakeTimers({ doNotFake: [...REAL] });
});
afterEach(() => {
  jest.useRealTimers();
  server.close();
});

test('a server that answers no ROLLBACK delays the end of the step by one time limit', async () => {
  server.statement = refused('no such table');
  // Only this limit passes: a second one would never end.
  server.onTransactionEnd = () => jest.advanceTimersByTime(CLEAN_UP_TIME_LIMIT_MS);
  const connection = `mssql://ana:word@127.0.0.1:${server.port}/erp`;
  const step = { name: 'query', type: 'database', connection, sql: 'SELECT 1', transaction: true } as const;
  const { errorMessage } = await createFlowWorld(sandbox).run([{ ...step, timeoutSeconds: 600 }]);
  expect(errorMessage).toBe('Step "query": the database: no such table');
});
