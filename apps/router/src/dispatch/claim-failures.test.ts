import { ApiError } from '@batuta/errors';
import { createLogger } from '@batuta/observability';
import { ClaimFailures } from './claim-failures';

const AWAY = new ApiError('UNAVAILABLE');

let passedMs = 0;
beforeEach(() => {
  passedMs = 0;
  jest.spyOn(performance, 'now').mockImplementation(() => passedMs);
});
afterEach(() => jest.restoreAllMocks());

test('claims that fail in every environment are one line a minute, with their number since the last line', () => {
  const lines: { environmentID: string; failures: number }[] = [];
  const failures = new ClaimFailures(
    createLogger('router', 'warn', { write: (line) => void lines.push(JSON.parse(line)) }),
  );
  const failAll = () => {
    for (const environmentID of ['office', 'factory']) failures.add(AWAY, { id: `of ${environmentID}`, environmentID });
  };
  failAll();
  passedMs = 59_999;
  failAll();
  passedMs = 60_000;
  failAll();
  expect(lines).toMatchObject([
    { environmentID: 'office', sessionID: 'of office', failures: 1 },
    { environmentID: 'office', failures: 4 },
  ]);
});
