import { placeProblems, problemsAt, problemsIn } from './problems';

const checked = {
  start: 'x',
  steps: [{ name: 'a', type: 'wait' }, { name: 'b', type: 'rest' }, 7],
};
const placed = placeProblems(checked, {
  problems: [
    { path: '/steps/1/headers/X~1Y', message: 'm1' },
    { path: '/start', message: 'm2' },
    { path: '/steps/2/name', message: 'm3' },
    { path: '/steps/9/name', message: 'm4' },
    { path: '', message: 'm5' },
  ],
  warnings: [{ path: '/steps/0', message: 'm6' }],
});

test('a problem is at the step and the field that its path names', () => {
  expect(placed.map(({ step, field, severity }) => [step, field, severity])).toEqual([
    ['b', '/headers/X~1Y', 'error'],
    [undefined, '/start', 'error'],
    [undefined, '/steps/2/name', 'error'],
    [undefined, '/steps/9/name', 'error'],
    [undefined, '', 'error'],
    ['a', '', 'warning'],
  ]);
});

test('a problem is removed with its deleted step', () => {
  const flow = { start: 'a', steps: [{ name: 'a', type: 'wait' }] };
  expect(problemsIn(flow, placed).map(({ message }) => message)).toEqual(['m2', 'm3', 'm4', 'm5', 'm6']);
});

test('a field has the problems of everything below it', () => {
  expect(problemsAt(placed, 'b', '/headers')).toHaveLength(1);
  expect(problemsAt(placed, 'b', '/head')).toHaveLength(0);
});
