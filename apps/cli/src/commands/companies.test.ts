import { startFakeAPI, type FakeAPI } from '../../test/fake-api';
import { TestUser } from '../../test/test-terminal';

const ID = '01920000-0000-7000-8000-000000000001';
const ACCOUNT = {
  id: '01920000-0000-7000-8000-000000000002',
  email: 'ana@loja.example',
  name: 'Ana',
  role: 'administrator',
  blocked: false,
};

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

test.each([
  ['the own company', [], '/manage/v1/accounts'],
  ['the company that an operator names', ['--company', ID], `/manage/v1/companies/${ID}/accounts`],
])('batuta accounts list shows the people of %s', async (_whose, options, path) => {
  api.answers.set(`GET ${path}`, [{ body: { accounts: [ACCOUNT] } }]);
  const { status, stdout } = await user.run(['accounts', 'list', ...options]);
  expect([status, stdout]).toEqual([0, expect.stringMatching(/ana@loja\.example +Ana +administrator/)]);
  expect(api.calls.map(({ line }) => line)).toEqual([`GET ${path}`]);
});
