import { useCliWorld } from '../../test/cli-world';

const PROCESS = '01920000-0000-7000-8000-000000000001';

const world = useCliWorld((url) => ({ BATUTA_GATEWAY_URL: url, BATUTA_CREDENTIAL: 'c', BATUTA_PROCESS_KEY: 'k' }));

test('values may begin with a byte order mark, as PowerShell and editors of Windows write it', async () => {
  await world.user.run(['start', PROCESS, '--values', '-', '--value', 'b=2'], { input: '\uFEFF{"a":1}\r\n' });
  expect(world.api.calls.map(({ body }) => JSON.parse(body))).toEqual([{ matrix: { a: 1, b: '2' } }]);
});

test.each([
  [['--value', 'total:=1e400'], '', 'total: has a number beyond the range'],
  [['--values', '-'], '{"orders":[{"total":1e-400}]}', 'orders: has a number beyond the range'],
  [['--values', '-'], '[1]', '--values -: must hold a JSON object'],
  [['--value', 'total:=R$'], '', '--value total: "R$" is not JSON'],
])('the values %j are a wrong usage, and nothing is sent', async (args, input, message) => {
  expect(await world.user.run(['start', PROCESS, ...args], { input })).toMatchObject({
    status: 2,
    stderr: expect.stringContaining(message),
  });
  expect(world.api.calls).toEqual([]);
});

test('an idempotency key that no header carries is a wrong usage, and nothing is sent', async () => {
  expect(await world.user.run(['start', PROCESS, '--idempotency-key', 'pedido – 17'])).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('idempotencyKey: must be 1 to 255 printable ASCII characters'),
  });
  expect(world.api.calls).toEqual([]);
});
