import { hasLoadFailed, importOrReport, LoadFailure, onLoadFailureChange, setLoadFailed } from './load-failures';

test('listeners are notified of a script that does not load, and its import fails as LoadFailure with the cause', async () => {
  const states: boolean[] = [];
  const stop = onLoadFailureChange(() => states.push(hasLoadFailed()));
  expect(await importOrReport(Promise.resolve('part'))).toBe('part');
  const cause = new TypeError('Failed to fetch dynamically imported module');
  const failure: unknown = await importOrReport(Promise.reject(cause)).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(LoadFailure);
  expect(failure).toMatchObject({ cause });
  setLoadFailed(false);
  stop();
  setLoadFailed(false);
  expect(states).toEqual([true, false]);
});
