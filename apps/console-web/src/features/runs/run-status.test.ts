import { isActive, RUN_STATUSES, shownStatus } from './run-status';

test('a run may still change until it has ended, also while its agent has not confirmed it', () => {
  expect(RUN_STATUSES.filter((status) => isActive(status))).toEqual(['queued', 'running', 'unknown']);
});

test('a paused run is shown as paused only while it is in progress', () => {
  expect(shownStatus({ status: 'running', paused: true })).toBe('paused');
  expect(shownStatus({ status: 'stopped', paused: true })).toBe('stopped');
});
