import { isFiltered, toQuery } from './run-filter';

test('the filter of runs by their origin is the parameter `trigger` of the API', () => {
  expect(toQuery({ origin: 'webhook', status: 'error,stopped', environment: 'e' })).toMatchObject({
    trigger: 'webhook',
    status: 'error,stopped',
    environment: 'e',
  });
});

test('a filter of runs whose fields are all undefined counts as no filter', () => {
  expect([isFiltered({ process: undefined }), isFiltered({ origin: 'api' })]).toEqual([false, true]);
});
