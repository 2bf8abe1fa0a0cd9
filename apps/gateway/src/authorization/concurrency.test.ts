import { executionReplies, receivedRequests } from '../../test/fake-execution';
import {
  asTenant,
  callGateway,
  createTenant,
  resetFakes,
  startWorld,
  type GatewayWorld,
  type TestTenant,
} from '../../test/world';
import { waitUntil } from '../../../../test/support/wait-until';

let world: GatewayWorld;
let busy: TestTenant;
let quiet: TestTenant;
beforeAll(async () => {
  world = await startWorld();
  [busy, quiet] = await Promise.all([createTenant(world.registry), createTenant(world.registry)]);
});
afterAll(() => world?.close());
beforeEach(resetFakes);

const start = (tenant: TestTenant) =>
  callGateway(world.gateway.url, 'post', `/v1/processes/${tenant.processID}/start`, asTenant(tenant, { body: {} }));
const startsOf = ({ processID }: TestTenant) =>
  receivedRequests.filter(({ request }) => Object(request).processID === processID).length;
const heldBack = async () => {
  const { text } = await callGateway(world.gateway.url, 'get', '/metrics');
  return Number(/^batuta_calls_held_back(?:\{[^}]*\})? (\d+)/m.exec(text)?.[1]);
};

test('most of forty unanswered starts of one company are held back, and a start of another company goes on at once', async () => {
  expect((await start(quiet)).status).toBe(200);
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  executionReplies.start = async ({ instanceID, processID }) => {
    if (processID === busy.processID) await answered;
    return { instanceID, status: 'started' };
  };
  const starts = Promise.all(Array.from({ length: 40 }, () => start(busy)));
  await waitUntil('starts are held back', async () => (await heldBack()) > 20);
  expect((await start(quiet)).status).toBe(200);
  expect(startsOf(busy)).toBeLessThan(20);
  answer();
  expect((await starts).map(({ status }) => status)).toEqual(Array(40).fill(200));
});
