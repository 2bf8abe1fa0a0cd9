import { startTestMariadb, startTestNats, type TestServer } from '../../../test/support/servers';
import { waitUntil } from '../../../test/support/wait-until';
import { createGateway } from './app';
import { executionReplies } from '../test/fake-execution';
import {
  callGateway,
  createTenant,
  startWorld,
  type HttpMethod,
  type TestTenant,
  type GatewayWorld,
} from '../test/world';

let mariadb: TestServer;
let nats: TestServer;
let world: GatewayWorld;
let tenant: TestTenant;

beforeAll(async () => {
  [mariadb, nats] = await Promise.all([startTestMariadb(), startTestNats()]);
  world = await startWorld({}, undefined, { mariadb, nats });
  tenant = await createTenant(world.registry);
});

afterAll(() => world?.close());

const send = (method: HttpMethod, path: string, url = world.gateway.url) =>
  callGateway(url, method, path, { credential: tenant.credential.value, key: tenant.key });
const start = () => send('post', `/v1/processes/${tenant.processID}/start`);
const instancePath = '/v1/instances/01900000-0000-7000-8000-000000000000/logs';

const errorCodeOf = async (response: ReturnType<typeof send>) => {
  const { status, body } = await response;
  return [status, body.error?.code];
};
const isReady = async () => (await callGateway(world.gateway.url, 'get', '/health/ready')).status === 200;
const isUnready = async () => (await callGateway(world.gateway.url, 'get', '/health/ready')).status === 503;

test('without NATS a start is ROUTER_ERROR at once and a read UNAVAILABLE; both recover without a restart', async () => {
  await nats.kill();
  await waitUntil('the gateway says that it is not ready', isUnready);
  expect(await errorCodeOf(start())).toEqual([502, 'ROUTER_ERROR']);
  expect(await errorCodeOf(send('get', instancePath))).toEqual([503, 'UNAVAILABLE']);
  expect((await send('get', '/v1/processes')).status).toBe(200);
  await nats.startAgain();
  await waitUntil('the gateway is ready again', isReady);
  await waitUntil('a start works again', async () => (await start()).status === 200);
  expect((await send('get', instancePath)).status).toBe(200);
});

test('without the database every route but ping is UNAVAILABLE; all recover without a restart', async () => {
  await mariadb.kill();
  expect((await send('get', '/v1/ping')).status).toBe(200);
  await waitUntil('the gateway says that it is not ready', isUnready);
  for (const response of [start(), send('get', '/v1/me'), send('get', '/v1/environments')]) {
    expect(await errorCodeOf(response)).toEqual([503, 'UNAVAILABLE']);
  }
  await mariadb.startAgain();
  await waitUntil('the gateway is ready again', isReady);
  expect((await start()).status).toBe(200);
});

test('a database that hangs gives UNAVAILABLE within the time limit', async () => {
  const gatewayWithShortLimit = await createGateway({ ...world.config, READ_TIMEOUT_MS: 500 });
  const me = () => send('get', '/v1/me', gatewayWithShortLimit.url);
  await waitUntil('it works', async () => (await me()).status === 200);
  await mariadb.pause();
  try {
    expect(await errorCodeOf(me())).toEqual([503, 'UNAVAILABLE']);
  } finally {
    mariadb.resume();
  }
  await waitUntil('the gateway works again', async () => (await me()).status === 200);
  await gatewayWithShortLimit.close();
});

test('a gateway that shuts down answers the requests in flight first', async () => {
  const closing = await createGateway({ ...world.config, CLOSE_TIMEOUT_MS: 600_000 });
  let arrived = () => {};
  const underWay = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let finish = () => {};
  const held = new Promise<void>((resolve) => {
    finish = resolve;
  });
  executionReplies.start = async ({ instanceID }) => {
    arrived();
    await held;
    return { instanceID, status: 'started' };
  };
  // The fetch of Node keeps its connection open after the response; the gateway must close it in order to stop.
  const response = fetch(`${closing.url}/v1/processes/${tenant.processID}/start`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${tenant.credential.value}`, 'X-Process-Key': tenant.key },
  }).then(({ status }) => status);
  await underWay;
  const closed = closing.close();
  finish();
  expect(await response).toBe(200);
  await closed;
  await expect(send('get', '/v1/ping', closing.url)).rejects.toThrow('ECONNREFUSED');
});
