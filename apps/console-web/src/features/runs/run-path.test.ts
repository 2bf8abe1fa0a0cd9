import { addLines, addOlderLines, endPath, extendPath, NO_PATH, type PathStep } from './run-path';

const timeOf = (second: number) => `2026-11-22T10:00:0${second}.000Z`;
const line = (stepID: string, text: string, second: number, severity: 'INFO' | 'ERROR' = 'INFO') => ({
  stepID,
  message: `Step "${stepID}": ${text}`,
  timestamp: timeOf(second),
  severity,
});
const pathOf = (...lines: ReturnType<typeof line>[]) => lines.reduce<PathStep[]>(extendPath, []);
const statesOf = (path: PathStep[]) => path.map(({ step, state }) => `${step} ${state}`);

test('the path of a run has the steps in the order in which they were entered', () => {
  const path = pathOf(line('read', 'started', 0), line('read', 'x = 1', 1), line('send', 'started', 2));
  expect(path).toEqual([
    { step: 'read', startedAt: timeOf(0), leftAt: timeOf(2), state: 'done' },
    { step: 'send', startedAt: timeOf(2), leftAt: null, state: 'running' },
  ]);
});

test('a failed step of the path stays failed when its onError route goes on', () => {
  const path = pathOf(line('read', 'started', 0), line('read', 'no', 1, 'ERROR'), line('tell', 'started', 2));
  expect(statesOf(path)).toEqual(['read failed', 'tell running']);
});

test('a step of a loop is in the path as often as the run entered it', () => {
  expect(statesOf(pathOf(line('a', 'started', 0), line('a', 'started', 1)))).toEqual(['a done', 'a running']);
});

test('a message that only ends like the first line of a step adds no step to the path', () => {
  expect(pathOf(line('a', 'x = "Step "a": started', 0))).toEqual([]);
});

test('the path of a run that began in the middle of the log grows at its beginning when older lines are read', () => {
  const rest = { userName: '', version: '1', evidence: null };
  const [a, b, c] = [line('a', 'started', 0), line('b', 'started', 1), line('b', 'no', 2, 'ERROR')].map(
    (one, index) => ({ ...one, ...rest, number: index + 1 }),
  );
  if (!a || !b || !c) throw new Error('three lines');
  const end = addLines(NO_PATH, [c]);
  expect(end).toEqual({ steps: [], from: 3 });
  const whole = addOlderLines(end, [a, b, c]);
  expect([whole.from, statesOf(whole.steps)]).toEqual([1, ['a done', 'b failed']]);
  expect(addOlderLines(whole, [b, c])).toBe(whole);
});

test.each([
  ['success', 'done'],
  ['terminated', 'done'],
  ['error', 'failed'],
  ['stopped', 'stopped'],
] as const)('the last step of a run that ended with %s is %s', (status, state) => {
  expect(endPath(pathOf(line('a', 'started', 0)), status, timeOf(5))).toEqual([
    { step: 'a', startedAt: timeOf(0), leftAt: timeOf(5), state },
  ]);
});

test.each(['error', 'stopped', 'terminated'] as const)(
  'the last step of a run shows its duration also when it failed before the run ended with %s',
  (status) => {
    const path = pathOf(line('a', 'started', 0), line('b', 'started', 1), line('b', 'no', 3, 'ERROR'));
    expect(endPath(path, status, timeOf(5)).at(-1)).toEqual({
      step: 'b',
      startedAt: timeOf(1),
      leftAt: timeOf(5),
      state: 'failed',
    });
  },
);
