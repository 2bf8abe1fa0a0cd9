import { stepNameProblem, uniqueName } from './names';

test.each([
  ['', 'empty'],
  ['  ', 'empty'],
  ['x'.repeat(81), 'too-long'],
  ['send', 'taken'],
  ['send it', undefined],
])('the step name %j has the problem %s', (name, problem) => {
  expect(stepNameProblem(name, ['send'])).toBe(problem);
});

test('a taken step name gets the first free number', () => {
  expect(uniqueName('send', new Set(['call']))).toBe('send');
  expect(uniqueName('send', new Set(['send', 'send 2']))).toBe('send 3');
  expect(uniqueName('send 2', new Set(['send', 'send 2']))).toBe('send 3');
});

test('a numbered step name keeps the limit of 80 characters', () => {
  const long = '😀'.repeat(80);
  expect(Array.from(uniqueName(long, new Set([long])))).toHaveLength(80);
});
