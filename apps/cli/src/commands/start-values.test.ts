import { startFakeAPI, type FakeAPI } from '../../test/fake-api';
import { TestUser } from '../../test/test-terminal';

const PROCESS = '01920000-0000-7000-8000-000000000001';

let api: FakeAPI;
let user: TestUser;
beforeEach(async () => {
  api = await startFakeAPI();
  user = new TestUser({ BATUTA_GATEWAY_URL: api.url, BATUTA_CREDENTIAL: 'c', BATUTA_PROCESS_KEY: 'k' });
});
afterEach(async () => {
  await api.close();
  await user.remove();
});

test('values may begin with a byte order mark, as PowerShell and editors of Windows write it', async () => {
  await user.run(['start', PROCESS, '--values', '-', '--value', 'b=2'], { input: '\uFEFF{"a":1}\r\n' });
  expect(api.calls.map(({ body }) => JSON.parse(body))).toEqual([{ matrix: { a: 1, b: '2' } }]);
});
