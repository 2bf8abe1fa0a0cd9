import { startFakeAPI, type FakeAPI } from '../../test/fake-api';
import { TestUser } from '../../test/test-terminal';

const ID = '01920000-0000-7000-8000-000000000001';
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

test.each([`logs ${ID}`, 'runs list', `schedules firings ${ID}`, `events deliveries ${ID}`])(
  'batuta %s refuses a limit below 1 and calls nothing',
  async (line) => {
    for (const limit of ['0', '-1', '1.5']) {
      expect(await user.run([...line.split(' '), `--limit=${limit}`])).toMatchObject({
        status: 2,
        stdout: '',
        stderr: expect.stringContaining('--limit: must be '),
      });
    }
    expect(api.calls).toEqual([]);
  },
);
