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

test.each([
  [['--value', 'total:=1e400'], '', 'total: has a number beyond the range'],
  [['--values', '-'], '{"orders":[{"total":1e-400}]}', 'orders: has a number beyond the range'],
  [['--values', '-'], '[1]', '--values -: must hold a JSON object'],
  [['--value', 'total:=R$'], '', '--value total: "R$" is not JSON'],
])('the values %j are a wrong usage, and nothing is sent', async (args, input, message) => {
  expect(await user.run(['start', PROCESS, ...args], { input })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(message),
  });
  expect(api.calls).toEqual([]);
});

test('an idempotency key that no header carries is a wrong usage, and nothing is sent', async () => {
  expect(await user.run(['start', PROCESS, '--idempotency-key', 'pedido – 17'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('idempotencyKey: must be 1 to 255 printable ASCII characters'),
  });
  expect(api.calls).toEqual([]);
});
