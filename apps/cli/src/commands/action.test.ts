import { startFakeAPI, type FakeAPI } from '../../test/fake-api';
import { TestUser } from '../../test/test-terminal';

const ID = '01920000-0000-7000-8000-000000000001';
const UNKNOWN = 'No such route or resource.';

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

const refuse = (route: string, message: string) =>
  api.answers.set(route, [{ status: 404, body: { error: { code: 'NOT_FOUND', message } } }]);

test.each([
  [
    'credentials revoke x1',
    'DELETE /manage/v1/credentials/x1',
    UNKNOWN,
    'There is no credential "x1" that you may see.',
  ],
  [
    `keys revoke ${ID}`,
    `DELETE /manage/v1/keys/${ID}`,
    'No such process key.',
    `There is no key "${ID}" that you may see.`,
  ],
  [
    `accounts block ${ID}`,
    `PATCH /manage/v1/accounts/${ID}`,
    'No such account.',
    `There is no account "${ID}" that you may see.`,
  ],
  [
    'runs show x1',
    'GET /manage/v1/instances/x1',
    'No such instance, or not visible to the caller.',
    'There is no run "x1" that you may see.',
  ],
  [
    'events deliveries x1',
    'GET /manage/v1/company/event-subscriptions/x1/deliveries',
    UNKNOWN,
    'There is no subscription "x1" that you may see.',
  ],
  [
    `events redeliver ${ID} --run x1`,
    `POST /manage/v1/company/event-subscriptions/${ID}/deliveries/x1/redeliver`,
    'There is no such event subscription.',
    `There is no subscription "${ID}" that you may see.`,
  ],
])('batuta %s names what does not exist', async (line, route, message, shown) => {
  refuse(route, message);
  expect(await user.run(line.split(' '))).toMatchObject({ status: 4, stderr: `batuta: NOT_FOUND: ${shown}\n` });
});

test.each([
  [
    `events redeliver ${ID} --run x1`,
    `POST /manage/v1/company/event-subscriptions/${ID}/deliveries/x1/redeliver`,
    UNKNOWN,
  ],
  ['companies create Loja --plan x1', 'POST /manage/v1/companies', 'No such plan.'],
])('batuta %s shows a refusal that is about something else as it is', async (line, route, message) => {
  refuse(route, message);
  expect(await user.run(line.split(' '))).toMatchObject({ status: 4, stderr: `batuta: NOT_FOUND: ${message}\n` });
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
