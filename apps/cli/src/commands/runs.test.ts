import { startFakeAPI, type FakeAPI } from '../../test/fake-api';
import { TestUser } from '../../test/test-terminal';

let api: FakeAPI;
let user: TestUser;
beforeEach(async () => {
  api = await startFakeAPI();
  user = new TestUser({ BATUTA_CONSOLE_URL: api.url, BATUTA_TOKEN: 'bls_secret' });
});
afterEach(async () => {
  await api.close();
  await user.remove();
});

test('a log that is longer than its limit says so', async () => {
  const logs = ['first', 'second', 'third'].map((message) => ({
    timestamp: '2026-11-20T12:00:00.000Z',
    severity: 'INFO',
    stepID: 'a',
    message,
  }));
  api.answers.set('GET /manage/v1/instances/i/logs', [{ body: { logs } }, { body: { logs } }]);
  const cut = await user.run(['logs', 'i', '--limit', '2']);
  expect(cut.stdout).toMatch(/^.*second\n.*third\n$/);
  expect(cut.stderr).toBe('Older lines are left out: --limit shows more than 2.\n');
  expect((await user.run(['logs', 'i', '--limit', '3'])).stderr).toBe('');
});
