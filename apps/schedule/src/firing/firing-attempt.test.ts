import type { Store } from '@batuta/database';
import { ApiError, type ErrorCode } from '@batuta/errors';
import { waitUntil } from '../../../../test/support/wait-until';
import { registerProcess } from '../../test/registry';
import { addSchedule, firingsOf, areSettled, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';
import { removeSchedule } from '../schedules/schedule-removal';
import { saveAttemptResult } from './firing.repository';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

beforeEach(async () => {
  // The schedules of earlier tests are removed, because they would fire when the clock moves.
  await world.store.write('DELETE FROM schedule');
  await world.setClock('2026-11-20T11:59:30Z');
  world.execution.refusal = () => undefined;
  world.execution.losesReply = () => false;
});

test.each<ErrorCode>([
  'PROCESS_NOT_PUBLISHED',
  'INVALID_MATRIX',
  'INVALID_ENVIRONMENT',
  'INSUFFICIENT_CREDITS',
  'AGENT_OFFLINE',
  'OWNER_INACTIVE',
])(
  'a start that execution refuses with %s is a failed firing with that reason and without an instance',
  async (code) => {
    const at = await registerProcess(world.store);
    const id = await addSchedule(world, at);
    world.execution.refusal = ({ processID }) =>
      processID === at.processID ? new ApiError(code, 'field: why') : undefined;
    await world.setClock('2026-11-20T12:00:00Z');
    const [firing] = await untilFirings(world, at, id, areSettled);
    expect(firing).toMatchObject({ result: 'failed', instanceID: null, reason: { code, message: 'field: why' } });
  },
);

test('a start without an answer is repeated with its instance id and starts one instance', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  let lost = 0;
  world.execution.losesReply = ({ processID }) => processID === at.processID && ++lost <= 2;
  await world.setClock('2026-11-20T12:00:00Z');
  const [firing] = await untilFirings(world, at, id, areSettled);
  expect(firing?.result).toBe('fired');
  const requests = world.execution.requests.filter(({ processID }) => processID === at.processID);
  expect(requests.map(({ instanceID, resent }) => [instanceID, resent])).toEqual([
    [firing?.instanceID, undefined],
    [firing?.instanceID, true],
    [firing?.instanceID, true],
  ]);
  expect(world.execution.startsOf(at.processID)).toHaveLength(1);
});

test('a firing that could not start within ten minutes fails', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  world.execution.refusal = ({ processID, deadline }) => {
    if (processID !== at.processID) return undefined;
    return new ApiError(deadline < Date.now() ? 'ROUTER_ERROR' : 'UNAVAILABLE');
  };
  await world.setClock('2026-11-20T12:00:00Z');
  const [pending] = await untilFirings(world, at, id, ([first]) => first?.reason?.code === 'UNAVAILABLE');
  expect(pending?.result).toBe('pending');
  await world.store.write(
    `UPDATE schedule_firing SET expires_at = UTC_TIMESTAMP(3) - INTERVAL 1 SECOND, next_attempt_at = UTC_TIMESTAMP(3)
      WHERE schedule_id = ?`,
    [id],
  );
  const [failed] = await untilFirings(world, at, id, areSettled);
  expect(failed).toMatchObject({ result: 'failed', reason: { code: 'ROUTER_ERROR' } });
  expect(world.execution.requests.filter(({ processID }) => processID === at.processID).at(-1)?.resent).toBe(true);
});

test('an attempt writes nothing when another replica has begun a later attempt', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  world.execution.refusal = ({ processID }) => (processID === at.processID ? new ApiError('UNAVAILABLE') : undefined);
  await world.setClock('2026-11-20T12:00:00Z');
  const [first] = await untilFirings(world, at, id, ([pending]) => pending?.reason?.code === 'UNAVAILABLE');
  const now = new Date();
  const earlier = {
    schedule_id: id,
    nominal_at: now,
    instance_id: first?.instanceID ?? '',
    attempts: 0,
    expires_at: now,
  };
  expect(await saveAttemptResult(world.store, earlier, { result: 'fired' }, 0)).toBe(false);
  expect(await firingsOf(world, at, id)).toMatchObject([{ result: 'pending' }]);
});

test('a removal of a schedule that stops after its first commit starts nothing, and its pending firings fail', async () => {
  const at = await registerProcess(world.store);
  const id = await addSchedule(world, at);
  await world.store.write(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, next_attempt_at, expires_at)
     SELECT ?, '2026-11-20 10:00:00' + INTERVAL seq SECOND, UUID(), 'pending', UTC_TIMESTAMP(3) + INTERVAL 1 HOUR,
            UTC_TIMESTAMP(3) + INTERVAL 2 HOUR FROM seq_1_to_3`,
    [id],
  );
  const transaction = jest
    .fn<Promise<unknown>, Parameters<Store['transaction']>>()
    .mockImplementationOnce((work) => world.store.transaction(work))
    .mockRejectedValue(new Error('killed'));
  const cutOff = Object.create(world.store, { transaction: { value: transaction } });
  await expect(removeSchedule(cutOff, id)).rejects.toThrow('killed');
  await world.store.write('UPDATE schedule_firing SET next_attempt_at = UTC_TIMESTAMP(3) WHERE schedule_id = ?', [id]);
  await waitUntil('the firings fail', async () => {
    const sql = "SELECT 1 FROM schedule_firing WHERE schedule_id = ? AND result = 'failed'";
    return (await world.store.rows(sql, [id])).length === 3;
  });
  expect(world.execution.startsOf(at.processID)).toEqual([]);
});
