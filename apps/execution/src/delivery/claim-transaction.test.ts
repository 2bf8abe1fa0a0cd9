import { Abilities } from '@batuta/agent-protocol';
import { createLogger, Metrics } from '@batuta/observability';
import { ClaimBudget } from '../claims/claim-share';
import { ExecutionMetrics } from '../execution.metrics';
import { ClaimTransaction } from './claim-transaction';
import type { SkippedInstances } from './instance-opener';

const fake = (methods: object) => Object.assign(Object.create(null), methods);
const CLAIMER = { sessionID: 'session', abilities: Abilities.announced() };

let now: number;
let clock: jest.SpyInstance;
let logged: jest.SpyInstance;
let transaction: ClaimTransaction;

beforeEach(() => {
  now = performance.now();
  clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
  const logger = createLogger('test', 'silent');
  logged = jest.spyOn(logger, 'error');
  const store = fake({ transaction: (work: (tx: object) => unknown) => work(fake({})) });
  const pages = fake({ read: async () => ({ rows: [], last: undefined, atEnd: true, lockedMore: undefined }) });
  const open = async (
    ...[, , , , , { unreadable }]: [unknown, unknown, unknown, unknown, unknown, SkippedInstances]
  ) => {
    unreadable.push({ instanceID: 'unreadable', reason: 'no key' });
    return { runnable: [], seen: 0 };
  };
  const metrics = new ExecutionMetrics(new Metrics('test'));
  const others = [fake({}), fake({}), fake({})] as const;
  transaction = new ClaimTransaction(store, pages, fake({ open }), new ClaimBudget(), metrics, ...others, logger);
});
afterEach(() => clock.mockRestore());

test('claims log once a minute for each environment that instances cannot be unsealed, however many claims meet them', async () => {
  const claim = (environmentID: string) => transaction.claimOldest(environmentID, CLAIMER, 1);
  for (const environmentID of ['a', 'a', 'b', 'a']) await claim(environmentID);
  expect(logged.mock.calls.map(([{ environmentID }]) => environmentID)).toEqual(['a', 'b']);
  now += 60_000;
  await claim('a');
  expect(logged).toHaveBeenCalledTimes(3);
});
