import {
  addNewer,
  addOlder,
  EMPTY_LOG,
  LINES_AT_ONCE,
  olderLinesCursor,
  logMessageOf,
  pictureOf,
  picturesOf,
  type NumberedLogLine,
} from './run-log';

const answer = {
  timestamp: '2026-11-22T10:00:00.000Z',
  severity: 'INFO' as const,
  message: 'x',
  stepID: 's',
  userName: '',
  version: '1',
  evidence: null,
};
const lines = (from: number, to: number): NumberedLogLine[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ ...answer, number: from + index }));
const numbers = ({ lines: shown }: { lines: NumberedLogLine[] }) => [
  shown[0]?.number,
  shown.at(-1)?.number,
  shown.length,
];

test('the page keeps the newest lines of a log up to a limit', () => {
  const log = addNewer(EMPTY_LOG, lines(1, LINES_AT_ONCE + 10));
  expect(numbers(log)).toEqual([11, LINES_AT_ONCE + 10, LINES_AT_ONCE]);
  expect(olderLinesCursor(log)).toBe(11);
});

test('log lines that arrive again after a reconnection are left out', () => {
  const log = addNewer(EMPTY_LOG, lines(1, 3));
  expect(addNewer(log, lines(1, 3))).toBe(log);
  expect(numbers(addNewer(log, lines(2, 4)))).toEqual([1, 4, 4]);
});

test('older log lines that the user asked for stay on the page while newer ones arrive', () => {
  const log = addNewer(EMPTY_LOG, lines(1, LINES_AT_ONCE + 10));
  const whole = addOlder(
    log,
    11,
    Array.from({ length: 10 }, () => answer),
  );
  expect(numbers(whole)).toEqual([1, LINES_AT_ONCE + 10, LINES_AT_ONCE + 10]);
  expect(olderLinesCursor(whole)).toBeUndefined();
  expect(addOlder(whole, 11, [answer])).toBe(whole);
});

test('a log message is shown without the name of its step', () => {
  expect([
    logMessageOf({ message: 'Step "a": started', stepID: 'a' }),
    logMessageOf({ message: 'Stopped', stepID: 'a' }),
  ]).toEqual(['started', 'Stopped']);
});

test('only a path in the form of the API becomes the address of a picture', () => {
  expect(pictureOf({ evidence: '/v1/instances/1-a/evidence/2-b' })).toBe('/manage/v1/instances/1-a/evidence/2-b');
  const others = ['https://evil.example/x', '//evil.example/v1/instances/1/evidence/2', 'a picture', null];
  expect(others.map((evidence) => pictureOf({ evidence }))).toEqual(others.map(() => undefined));
});

test('pictures of a run are numbered within their step', () => {
  const at = (number: number, stepID: string, evidence: string | null): NumberedLogLine => {
    return { ...answer, number, stepID, evidence };
  };
  const [first, second, third] = ['1', '2', '3'].map((id) => `/v1/instances/1-a/evidence/${id}`);
  const log = [at(1, 'a', first ?? null), at(2, 'b', second ?? null), at(3, 'a', null), at(4, 'a', third ?? null)];
  expect(picturesOf(log).map(({ line, ordinal }) => [line.number, ordinal])).toEqual([
    [1, 1],
    [2, 1],
    [4, 2],
  ]);
});
