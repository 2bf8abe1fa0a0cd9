import { firstStepsOf, isRunnableShare } from './first-steps';

const environment = (environmentID: string, agents: number) => ({ environmentID, agents });
const process = (currentVersion: number, owned = true) => ({ processID: 'p', currentVersion, active: true, owned });
const statesOf = ({ environment: first, process: second, run }: ReturnType<typeof firstStepsOf>) => [
  first,
  second,
  run,
];

test('the first step of an empty company is an environment', () => {
  expect(statesOf(firstStepsOf([], []))).toEqual(['next', 'later', 'later']);
});

test('the step of the environment is done once an agent of any environment is connected', () => {
  expect(statesOf(firstStepsOf([environment('a', 0)], []))).toEqual(['next', 'later', 'later']);
  expect(statesOf(firstStepsOf([environment('a', 0), environment('b', 1)], []))).toEqual(['done', 'next', 'later']);
});

test('the next step of an account with an agent and a published process of its own is a run', () => {
  expect(firstStepsOf([environment('a', 0), environment('b', 1)], [process(0), process(1)])).toEqual({
    environment: 'done',
    process: 'done',
    run: 'next',
    environmentID: 'b',
    pid: 'p',
  });
});

test('neither a process without a version nor one of another owner ends the step of the process', () => {
  expect(statesOf(firstStepsOf([environment('a', 1)], [process(0), process(1, false)]))).toEqual([
    'done',
    'next',
    'later',
  ]);
});

const permissions = { execute: true, edit: false, api: false, schedule: false, delete: false, share: false };
const share = { owned: false, permissions, active: true, currentVersion: 1 };

test('a published process of another account that the account may run is a runnable share', () => {
  expect(isRunnableShare(share)).toBe(true);
});

test.each([
  ['of the account itself', { owned: true, permissions: undefined }],
  ['that it may not run', { permissions: { ...permissions, execute: false, edit: true } }],
  ['that is inactive', { active: false }],
  ['without a published version', { currentVersion: 0 }],
])('a process %s is no runnable share', (_, part) => {
  expect(isRunnableShare({ ...share, ...part })).toBe(false);
});
