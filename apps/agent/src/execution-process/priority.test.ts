import os from 'node:os';
import { Priority } from './priority';

let setPriority: jest.SpyInstance;
beforeEach(() => {
  setPriority = jest.spyOn(os, 'setPriority').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

test('a process that could not be started leaves all priorities as they are, also that of the agent', () => {
  const priority = new Priority(true);
  priority.lower(0);
  priority.raise(0);
  expect(setPriority).not.toHaveBeenCalled();
});

test('a process that waits has a lower priority, and that of the agent once it has an execution', () => {
  jest.spyOn(os, 'getPriority').mockReturnValue(3);
  const priority = new Priority(true);
  priority.lower(process.pid);
  priority.raise(process.pid);
  const priorities = setPriority.mock.calls.map(([, level]) => level);
  expect(priorities[0]).toBe(os.constants.priority.PRIORITY_BELOW_NORMAL);
  expect(new Set(priorities.slice(1))).toEqual(new Set([3]));
});
