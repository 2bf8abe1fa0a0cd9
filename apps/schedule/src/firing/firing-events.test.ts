import { EVENT_NAMES } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { ALL_EVENTS, insertSubscription, type SubscriptionFields } from '../../../../test/support/event-subscriptions';
import { registerProcess, type RegisteredProcess } from '../../test/registry';
import { addSchedule, areSettled, startWorld, untilFirings, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

beforeEach(async () => {
  // The schedules of earlier tests are removed, because they would fire when the clock moves.
  await world.store.write('DELETE FROM schedule');
  await world.setClock('2026-11-20T11:59:30Z');
  world.execution.refusal = () => undefined;
});

const subscribe = (companyID: string, fields?: SubscriptionFields) =>
  insertSubscription(world.store, companyID, fields);

interface DeliveryRow {
  subscription_id: string;
  instance_id: string;
  process_id: string;
  event: string;
  status: string;
  payload: string;
  due: number;
}

/** The deliveries of the company's subscriptions, the oldest event first. */
function deliveriesOf({ companyID }: RegisteredProcess): Promise<DeliveryRow[]> {
  return world.store.rows<DeliveryRow>(
    `SELECT subscription_id, instance_id, process_id, event, status, payload, next_attempt_at <= UTC_TIMESTAMP(3) AS due
       FROM event_delivery WHERE company_id = ? ORDER BY JSON_VALUE(payload, '$.nominalAt'), subscription_id`,
    [companyID],
  );
}

test('a firing whose start is refused writes one delivery of schedule.failed to each subscription that asks for it', async () => {
  const at = await registerProcess(world.store);
  const stranger = await registerProcess(world.store);
  const asking = [
    await subscribe(at.companyID),
    await subscribe(at.companyID, { events: 'failed', processID: at.processID }),
  ];
  await subscribe(at.companyID, { events: 'error,skipped' });
  await subscribe(at.companyID, { processID: stranger.processID });
  await subscribe(at.companyID, { enabled: false });
  await subscribe(stranger.companyID);
  world.execution.refusal = () => new ApiError('INSUFFICIENT_CREDITS', 'No credits are left.');
  const id = await addSchedule(world, at);
  await world.setClock('2026-11-20T12:00:00Z');
  expect(await untilFirings(world, at, id, areSettled)).toMatchObject([{ result: 'failed' }]);
  const rows = await deliveriesOf(at);
  expect(rows.map((row) => row.subscription_id)).toEqual(asking.toSorted());
  for (const row of rows) {
    expect(row).toMatchObject({ process_id: at.processID, event: 'schedule.failed', status: 'waiting', due: 1 });
    expect(JSON.parse(row.payload)).toEqual({
      scheduleID: id,
      scheduleName: 'Nightly',
      processID: at.processID,
      processName: 'Orders',
      companyID: at.companyID,
      nominalAt: '2026-11-20T12:00:00.000Z',
      until: null,
      reason: { code: 'INSUFFICIENT_CREDITS', message: 'No credits are left.' },
    });
  }
  expect(new Set(rows.map((row) => row.instance_id)).size).toBe(1);
  expect(await deliveriesOf(stranger)).toEqual([]);
});

test('a firing that is skipped without an attempt writes a delivery of schedule.skipped with its reason', async () => {
  const at = await registerProcess(world.store, { paused: true });
  await subscribe(at.companyID);
  const id = await addSchedule(world, at);
  await world.setClock('2026-11-20T12:00:00Z');
  await untilFirings(world, at, id, areSettled);
  const [row, ...others] = await deliveriesOf(at);
  expect([row?.event, others]).toEqual(['schedule.skipped', []]);
  expect(JSON.parse(row?.payload ?? '')).toMatchObject({ until: null, reason: { code: 'PROCESS_PAUSED' } });
});

test('the times that an outage missed are one event, and the firing after it is none', async () => {
  const at = await registerProcess(world.store);
  await subscribe(at.companyID);
  const id = await addSchedule(world, at, { cronExpression: '*/4 * * * *' });
  await world.setClock('2026-11-20T13:00:30Z');
  await untilFirings(world, at, id, (all) => all.length === 16 && areSettled(all));
  const rows = await deliveriesOf(at);
  expect(rows.map((row) => [row.event, JSON.parse(row.payload)])).toEqual([
    [
      'schedule.skipped',
      expect.objectContaining({
        nominalAt: '2026-11-20T12:00:00.000Z',
        until: '2026-11-20T13:00:00.000Z',
        reason: expect.objectContaining({ code: 'MISSED' }),
      }),
    ],
  ]);
});

test('an accepted firing writes no delivery', async () => {
  const at = await registerProcess(world.store);
  await subscribe(at.companyID);
  const id = await addSchedule(world, at);
  await world.setClock('2026-11-20T12:00:00Z');
  expect(await untilFirings(world, at, id, areSettled)).toMatchObject([{ result: 'fired' }]);
  expect(await deliveriesOf(at)).toEqual([]);
});

test('the stored words of all events fit into their column', async () => {
  const at = await registerProcess(world.store);
  const words = EVENT_NAMES.map((name) => name.split('.')[1]).join(',');
  expect(words).toBe(ALL_EVENTS);
  const id = await subscribe(at.companyID, { events: words });
  const row = await world.store.row('SELECT events FROM event_subscription WHERE subscription_id = ?', [id]);
  expect(row).toEqual({ events: words });
});
