import { takenRoutes, visitsOf, type PathLogLine } from './run-path';

const line = (stepID: string, message: string, severity: PathLogLine['severity'] = 'INFO'): PathLogLine => ({
  timestamp: '2026-01-01T00:00:00.000Z',
  severity,
  message: stepID === '' ? message : `Step "${stepID}": ${message}`,
  stepID,
  evidence: null,
});
const log = [
  line('', 'accepted'),
  line('a', 'started'),
  line('a', 'total = 1.234,50'),
  line('a', 'goes on to "b", because {total} > 1 holds'),
  line('b', 'started'),
  line('b', 'no connection', 'ERROR'),
  line('b', 'goes on to "a"'),
  line('a', 'started'),
];

test('the log of a run gives the visits of its steps in order, loops included', () => {
  expect(visitsOf(log, false).map(({ step, state, next, lines }) => [step, state, next, lines.length])).toEqual([
    ['a', 'done', 'b', 2],
    ['b', 'failed', 'a', 2],
    ['a', 'running', undefined, 0],
  ]);
  expect(visitsOf(log, true).at(-1)?.state).toBe('done');
});

test('the taken routes differ by whether their step failed', () => {
  expect(takenRoutes(visitsOf(log, true))).toEqual([
    { from: 'a', to: 'b', afterFailure: false },
    { from: 'b', to: 'a', afterFailure: true },
  ]);
});

test('a log that begins in the middle of a step still has the step', () => {
  expect(visitsOf([line('a', 'x = 1')], true)).toMatchObject([
    { step: 'a', state: 'done', lines: [{ message: 'x = 1' }] },
  ]);
});
