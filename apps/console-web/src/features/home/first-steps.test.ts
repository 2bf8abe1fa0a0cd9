import { firstSteps } from './first-steps';

const environment = (environmentID: string, agents: number) => ({ environmentID, agents });
const process = (currentVersion: number, owned = true) => ({ processID: 'p', currentVersion, active: true, owned });
const statesOf = ({ environment: first, process: second, run }: ReturnType<typeof firstSteps>) => [first, second, run];

test('an empty company begins with an environment', () => {
  expect(statesOf(firstSteps([], []))).toEqual(['next', 'later', 'later']);
});

test('an environment is done once an agent of it is connected', () => {
  expect(statesOf(firstSteps([environment('a', 0)], []))).toEqual(['next', 'later', 'later']);
  expect(statesOf(firstSteps([environment('a', 0), environment('b', 1)], []))).toEqual(['done', 'next', 'later']);
});

test('a published process of one’s own can run', () => {
  expect(firstSteps([environment('a', 0), environment('b', 1)], [process(0), process(1)])).toEqual({
    environment: 'done',
    process: 'done',
    run: 'next',
    environmentID: 'b',
    pid: 'p',
  });
});

test('neither a process without a version nor one of somebody else counts', () => {
  expect(statesOf(firstSteps([environment('a', 1)], [process(0), process(1, false)]))).toEqual([
    'done',
    'next',
    'later',
  ]);
});
