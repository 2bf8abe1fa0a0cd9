import { Abilities } from '@batuta/agent-protocol';
import { EmptyQueueCache, type PollResult } from './empty-queue-cache';

const ENVIRONMENT_ID = 'environment';
const ALL_ABILITIES = Abilities.announced();

// The clock stands still: however slow the machine is, no entry outlives its time to live.
let clock: jest.SpiedFunction<typeof performance.now>;
beforeEach(() => {
  clock = jest.spyOn(performance, 'now').mockReturnValue(0);
});
afterEach(() => clock.mockRestore());

const pollResult = (readWhole: boolean, ...instanceIDs: string[]): PollResult => ({
  work: instanceIDs.map((instanceID) => ({
    instanceID,
    fence: 1,
    processID: 'p',
    processName: 'P',
    version: '1',
    userName: 'u',
    requestID: 'r',
    flow: {},
    matrix: [],
    vault: {},
  })),
  readWhole,
});

test('a queue that was read whole counts as empty until its next notification', async () => {
  const queues = new EmptyQueueCache();
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(false);
  const result = pollResult(true, 'i');
  expect(await queues.pollAndRecord(ENVIRONMENT_ID, ALL_ABILITIES, async () => result)).toEqual(result.work);
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(true);
  queues.onWork(ENVIRONMENT_ID);
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(false);
  await queues.pollAndRecord(ENVIRONMENT_ID, ALL_ABILITIES, async () => pollResult(true));
  await queues.pollAndRecord(ENVIRONMENT_ID, ALL_ABILITIES, async () => pollResult(false, 'i'));
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(false);
});

test.each([
  ['before the end of its first poll', async () => pollResult(true), true],
  [
    'after a poll during which it was notified',
    async (queues: EmptyQueueCache) => {
      queues.onWork(ENVIRONMENT_ID);
      return pollResult(true);
    },
    false,
  ],
])('a queue does not count as empty %s', async (_, poll, isEmptyAfterwards) => {
  const queues = new EmptyQueueCache();
  await queues.pollAndRecord(ENVIRONMENT_ID, ALL_ABILITIES, () => {
    expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(false);
    return poll(queues);
  });
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(isEmptyAfterwards);
});

test('a poll that fails records nothing', async () => {
  const queues = new EmptyQueueCache();
  await expect(
    queues.pollAndRecord(ENVIRONMENT_ID, ALL_ABILITIES, () => Promise.reject(new Error('away'))),
  ).rejects.toThrow('away');
  expect(queues.isEmpty(ENVIRONMENT_ID, ALL_ABILITIES)).toBe(false);
});
