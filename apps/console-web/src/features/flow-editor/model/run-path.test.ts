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
  expect(visitsOf(log, 'running').map(({ step, state, next, lines }) => [step, state, next, lines.length])).toEqual([
    ['a', 'done', 'b', 2],
    ['b', 'failed', 'a', 2],
    ['a', 'running', undefined, 0],
  ]);
});

test.each([
  ['running', 'running'],
  ['success', 'done'],
  ['terminated', 'done'],
  ['error', 'failed'],
  ['stopped', 'stopped'],
] as const)('the step in which a run with the status %s ends is %s', (status, state) => {
  expect(visitsOf(log, status).at(-1)?.state).toBe(state);
});

test('the taken routes differ by whether their step failed', () => {
  expect(takenRoutes(visitsOf(log, 'success'))).toEqual([
    { from: 'a', to: 'b', afterFailure: false },
    { from: 'b', to: 'a', afterFailure: true },
  ]);
});

test('a run that was paused before a step visits the step once', () => {
  const about = (message: string) => ({ ...line('b', ''), message });
  const paused = [
    ...log.slice(0, 4),
    about('The execution is paused'),
    about('The execution goes on'),
    line('b', 'started'),
    line('b', 'goes on to "b"'),
    about('The execution is paused'),
    line('b', 'started'),
  ];
  const visited = (count: number) => visitsOf(paused.slice(0, count), 'running').map(({ step }) => step);
  expect(visited(5)).toEqual(['a', 'b']);
  expect(visited(8)).toEqual(['a', 'b']);
  expect(visited(10)).toEqual(['a', 'b', 'b']);
});

test('a log that begins in the middle of a step still gives a visit of the step', () => {
  expect(visitsOf([line('a', 'x = 1')], 'success')).toMatchObject([
    { step: 'a', state: 'done', lines: [{ message: 'x = 1' }] },
  ]);
});

test('a step that leads to itself is visited again, also in a log that begins within its first visit', () => {
  const resumed = { ...line('b', ''), message: 'The execution goes on' };
  const visits = visitsOf([resumed, line('b', 'goes on to "b"'), line('b', 'started')], 'running');
  expect(visits.map(({ step, next }) => [step, next])).toEqual([
    ['b', 'b'],
    ['b', undefined],
  ]);
});
