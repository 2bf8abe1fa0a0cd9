import { isFiltered, toQuery } from './run-filter';

test('the origin of the start is the trigger of the API', () => {
  expect(toQuery({ origin: 'webhook', status: 'error,stopped', environment: 'e' })).toMatchObject({
    trigger: 'webhook',
    status: 'error,stopped',
    environment: 'e',
  });
});

test('a list without a filter is not filtered', () => {
  expect([isFiltered({ process: undefined }), isFiltered({ origin: 'api' })]).toEqual([false, true]);
});
