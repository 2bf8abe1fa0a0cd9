import { DatabaseClock } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { executionReplies, receivedRequests } from '../../test/fake-execution';
import {
  callGateway,
  createTenant,
  refusalBody,
  resetFakes,
  startWorld,
  type TestTenant,
  type GatewayWorld,
} from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;
/** The database's clock; only tests move it. */
let now = Date.now();
/** How far the clock of the gateway's machine is ahead of the database's clock in this test. */
const CLOCK_AHEAD_MS = 60_000;

let databaseClock: jest.SpiedFunction<DatabaseClock['now']>;

beforeAll(async () => {
  databaseClock = jest.spyOn(DatabaseClock.prototype, 'now').mockImplementation(() => now);
  world = await startWorld({ START_TIMEOUT_MS: '5000' }, () => now + CLOCK_AHEAD_MS);
  tenant = await createTenant(world.registry);
});

afterAll(async () => {
  databaseClock.mockRestore();
  await world?.close();
});

beforeEach(resetFakes);

const start = (body?: string | object, headers: Record<string, string> = {}) =>
  callGateway(world.gateway.url, 'post', `/v1/processes/${tenant.processID}/start`, {
    credential: tenant.credential.value,
    key: tenant.key,
    headers,
    body,
  });

describe('no answer', () => {
  test('an execution service that does not answer is asked again with the same id and deadline, and its later answer is returned', async () => {
    executionReplies.start = async ({ instanceID }) => {
      if (receivedRequests.length < 3) throw new ApiError('UNAVAILABLE');
      return { instanceID, status: 'started' };
    };
    const response = await start({});
    const ids = receivedRequests.map(({ request }) => Object(request).instanceID);
    expect([response.status, response.body]).toEqual([200, { instanceID: ids[0], status: 'started' }]);
    expect(ids).toEqual(Array(3).fill(ids[0]));
    expect(new Set(receivedRequests.map(({ request }) => Object(request).deadline)).size).toBe(1);
    expect(receivedRequests.map(({ request }) => Object(request).resent)).toEqual([undefined, true, true]);
  });

  test('an execution service that does not answer gives no replay when it accepted an earlier attempt of this call', async () => {
    executionReplies.start = async ({ instanceID }) => {
      if (receivedRequests.length < 2) throw new ApiError('UNAVAILABLE');
      return { instanceID, status: 'started', replayed: true };
    };
    const response = await start({}, { 'Idempotency-Key': 'lost' });
    expect(response.body).toEqual({ instanceID: expect.any(String), status: 'started' });
  });

  test('an execution service that does not answer is asked once more after the deadline, to learn whether it accepted an earlier attempt', async () => {
    executionReplies.start = async ({ instanceID, deadline }) => {
      if (now > deadline) return { instanceID, status: 'queued' };
      if (receivedRequests.length === 2) now = deadline + 1;
      throw new ApiError('UNAVAILABLE');
    };
    expect((await start({})).status).toBe(202);
    expect(receivedRequests).toHaveLength(3);
  });

  test('an execution service that does not answer is asked after the deadline until it says that it stored nothing, which is ROUTER_ERROR', async () => {
    executionReplies.start = async ({ deadline }) => {
      if (receivedRequests.length < 3) now = Math.max(now, deadline + 1);
      throw new ApiError(receivedRequests.length < 3 ? 'UNAVAILABLE' : 'ROUTER_ERROR');
    };
    const response = await start({});
    expect([response.status, response.body]).toEqual([502, refusalBody('ROUTER_ERROR')]);
    expect(receivedRequests).toHaveLength(3);
  });

  test('an execution service that does not answer gives UNAVAILABLE, which promises nothing, when it does not say either in as long a time after the deadline', async () => {
    executionReplies.start = async () => {
      now += 5_000;
      throw new ApiError('UNAVAILABLE');
    };
    const response = await start({});
    expect([response.status, response.body]).toEqual([503, refusalBody('UNAVAILABLE', /same Idempotency-Key/)]);
    expect(receivedRequests).toHaveLength(3);
  });
});
