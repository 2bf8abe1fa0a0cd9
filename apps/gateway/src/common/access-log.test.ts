import fs from 'node:fs';
import { waitUntil } from '../../../../test/support/wait-until';
import { executionReplies } from '../../test/fake-execution';
import { callGateway, createTenant, startWorld, type TestTenant, type GatewayWorld } from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
let written = '';

beforeAll(async () => {
  const write = fs.writeSync.bind(fs);
  jest.spyOn(fs, 'writeSync').mockImplementation((fd: number, text: unknown, ...rest: unknown[]) => {
    if (fd !== 2) return Reflect.apply(write, fs, [fd, text, ...rest]);
    written += String(text);
    return Buffer.byteLength(String(text));
  });
  world = await startWorld({ LOG_LEVEL: 'trace' });
  tenant = await createTenant(world.registry);
});

afterAll(async () => {
  await world?.close();
  jest.restoreAllMocks();
});

const loggedLines = () =>
  written
    .split('\n')
    .filter(Boolean)
    .map((line) => Object(JSON.parse(line)));

test('each request is logged in one line with its id and account and without secrets', async () => {
  const { account, credential, key, processID } = tenant;
  executionReplies.start = async () => {
    throw new Error('database says no');
  };
  const response = await callGateway(world.gateway.url, 'post', `/v1/processes/${processID}/start?x=s3cret`, {
    credential: credential.value,
    key,
    headers: { 'X-Request-Id': 'req-9', Cookie: 's3cret', 'Idempotency-Key': 's3cret' },
    body: { matrix: { token: 's3cret' } },
  });
  expect(response.status).toBe(500);
  await waitUntil('the request is logged', () => written.includes('"msg":"request"'));
  const about = loggedLines().filter(({ requestID }) => requestID === 'req-9');
  expect(about.filter(({ msg }) => msg === 'request')).toEqual([
    expect.objectContaining({
      service: 'gateway',
      method: 'POST',
      route: '/v1/processes/:pid/start',
      status: 500,
      ms: expect.any(Number),
      account: account.accountID,
    }),
  ]);
  expect(about.filter(({ msg }) => msg === 'a request failed with an unexpected fault')).toHaveLength(1);
  const secret = credential.value.split('.')[1] ?? credential.value;
  for (const hidden of ['s3cret', secret, key]) expect(written).not.toContain(hidden);
});
