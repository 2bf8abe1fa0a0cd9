import { ApiError, type ErrorCode } from '@batuta/errors';
import { v7 as uuid } from 'uuid';
import { executionReplies } from '../../test/fake-execution';
import { scheduleReplies } from '../../test/fake-schedule';
import { asTenant, callGateway, createTenant, resetFakes, startWorld } from '../../test/world';
import type { GatewayWorld, TestTenant } from '../../test/world';

let world: GatewayWorld;
let tenant: TestTenant;

beforeAll(async () => {
  world = await startWorld();
  tenant = await createTenant(world.registry);
});

beforeEach(resetFakes);

afterAll(() => world?.close());

const post = (path: string, body: object) =>
  callGateway(world.gateway.url, 'post', path, { ...asTenant(tenant), body });
const startPath = (query = '') => `/v1/processes/${tenant.processID}/start${query}`;
const newSchedule = () => ({ processID: tenant.processID, name: 'Nightly', cronExpression: '0 3 * * *' });

function refuseWith(code: ErrorCode, message: string): void {
  const refusal = async () => {
    throw new ApiError(code, message);
  };
  executionReplies.start = refusal;
  scheduleReplies.create = refusal;
  executionReplies.dryRun = async () => ({ refusals: [{ code, message }] });
}

/** The message with which a start, its dry run and a schedule are refused; they all have the same one. */
async function messageOf(body: object): Promise<string> {
  const started = await post(startPath(), body);
  const tried = await post(startPath('?dryRun=true'), body);
  const scheduled = await post('/v1/schedules', { ...newSchedule(), ...body });
  const { message } = started.body.error;
  expect([tried.body.refusals[0].message, scheduled.body.error.message]).toEqual([message, message]);
  return message;
}

test('the refusal of a value names the route that lists the variables of the process with their types', async () => {
  refuseWith('INVALID_MATRIX', 'total: "abc" is not a number');
  expect(await messageOf({ matrix: { total: 'abc' } })).toBe(
    `total: "abc" is not a number; GET /v1/processes/${tenant.processID}/matrix lists the variables with their types`,
  );
});

test('the refusal of the environment in the body names the route that lists the environments', async () => {
  refuseWith('INVALID_ENVIRONMENT', 'environmentID: the environment is out of reach.');
  expect(await messageOf({ environmentID: uuid() })).toBe(
    'environmentID: the environment is out of reach. GET /v1/environments lists yours and those shared with your company.',
  );
});

test('the refusal of the registered environment names no route, because the registration must be corrected', async () => {
  refuseWith('INVALID_ENVIRONMENT', 'The process has no environment registered.');
  expect(await messageOf({})).toBe('The process has no environment registered.');
});

test('the refusal of text that is no environment id names the route that lists the environments', async () => {
  for (const [path, body] of [
    [startPath(), { environmentID: 'office' }],
    ['/v1/schedules', { ...newSchedule(), environmentID: 'office' }],
  ] as const) {
    const { message } = (await post(path, body)).body.error;
    expect(message).toBe(
      'environmentID: must be a UUID; GET /v1/environments lists yours and those shared with your company',
    );
  }
});
