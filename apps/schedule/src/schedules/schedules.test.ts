import { schedule, type ScheduleChangeRequest } from '@batuta/contracts';
import { setActor, withRequestID } from '@batuta/observability';
import { v7 as uuid } from 'uuid';
import {
  addAccount,
  registerProcess,
  shareProcess,
  type RegisterOptions,
  type RegisteredProcess,
} from '../../test/registry';
import { nextTimeOf } from '../../test/schedules';
import { addSchedule, startWorld, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const addProcess = async (options: RegisterOptions = {}) => registerProcess(world.store, options);
const SHARE_CONDITION = 'process_id = ? AND account_id = ?';
const rowExists = async (table: string, id: string) =>
  (await world.store.row(`SELECT 1 AS found FROM ${table} WHERE schedule_id = ?`, [id])) !== undefined;

describe('schedules', () => {
  const makeScheduleAndPeople = async (): Promise<{
    registered: RegisteredProcess;
    id: string;
    people: Record<string, string>;
  }> => {
    const registered = await addProcess();
    const [creator, mayAll, maySchedule, stranger] = await Promise.all(
      [1, 2, 3, 4].map(() => addAccount(world.store, registered.companyID)),
    );
    await shareProcess(world.store, registered.processID, creator ?? '', true);
    const id = await addSchedule(world, registered, {}, creator);
    await world.store.write(`DELETE FROM process_share WHERE ${SHARE_CONDITION}`, [registered.processID, creator]);
    await shareProcess(world.store, registered.processID, mayAll ?? '', false);
    await shareProcess(world.store, registered.processID, maySchedule ?? '', true);
    const others = { 'share without schedule': mayAll ?? '', 'share with schedule': maySchedule ?? '' };
    return {
      registered,
      id,
      people: { owner: registered.ownerID, creator: creator ?? '', stranger: stranger ?? '', ...others },
    };
  };

  test.each([
    ['owner', true, true],
    ['creator', true, true],
    ['share with schedule', false, true],
    ['share without schedule', false, false],
    ['stranger', false, false],
  ])('the account %s may change the schedule: %s, and read its firings: %s', async (who, change, read) => {
    const { id, people } = await makeScheduleAndPeople();
    const accountID = people[who] ?? '';
    const codeOf = (call: Promise<unknown>) =>
      call.then(
        () => 'ok',
        ({ code }: { code: string }) => code,
      );
    const expected = (allowed: boolean) => (allowed ? 'ok' : 'SCHEDULE_NOT_FOUND');
    expect(await codeOf(world.rpc.call(schedule.firings, { id, accountID, limit: 10 }))).toBe(expected(read));
    expect(await codeOf(world.rpc.call(schedule.read, { id, accountID }))).toBe(expected(read));
    expect(await codeOf(world.rpc.call(schedule.calendar, { id, accountID, month: '2026-11' }))).toBe(expected(read));
    const changes = { name: 'Other' };
    // The share of the schedule's creator has ended, so nobody may change the values that the schedule starts with.
    const changed = change ? 'FORBIDDEN' : 'SCHEDULE_NOT_FOUND';
    expect(await codeOf(world.rpc.call(schedule.change, { id, accountID, changes }))).toBe(changed);
    expect(await codeOf(world.rpc.call(schedule.find, { id, accountID }))).toBe(expected(change));
    expect(await codeOf(world.rpc.call(schedule.setActive, { id, accountID, active: false }))).toBe(expected(change));
    expect(await codeOf(world.rpc.call(schedule.remove, { id, accountID }))).toBe(expected(change));
    expect(await rowExists('schedule', id)).toBe(!change);
  });

  test('a schedule is changed in the given fields only, and a change is refused by the rules of its creation', async () => {
    const registered = await addProcess({
      matrix: [
        { name: 'total', type: 'Moeda' },
        { name: 'pin', type: 'Secreto' },
      ],
    });
    const { ownerID: accountID, environmentID } = registered;
    const id = await addSchedule(world, registered, { matrix: { total: '1' }, environmentID });
    const change = (changes: ScheduleChangeRequest['changes']) =>
      world.rpc.call(schedule.change, { id, accountID, changes });
    const read = () => world.rpc.call(schedule.read, { id, accountID });
    const before = await read();
    await change({});
    await change({ name: 'Early' });
    expect(await read()).toEqual({ ...before, name: 'Early' });
    await change({ matrix: {}, environmentID: null });
    expect(await read()).toMatchObject({ name: 'Early', matrix: {}, cronExpression: before.cronExpression });
    const refusals: [ScheduleChangeRequest['changes'], string][] = [
      [{ cronExpression: 'daily' }, 'INVALID_CRON'],
      [{ matrix: { total: '1,2,3' } }, 'INVALID_MATRIX'],
      [{ matrix: { pin: '1234' } }, 'INVALID_MATRIX'],
      [{ environmentID: uuid() }, 'INVALID_ENVIRONMENT'],
    ];
    for (const [changes, code] of refusals) {
      await expect(change({ name: 'Refused', ...changes })).rejects.toMatchObject({ code });
    }
    await world.store.write('UPDATE plan SET scheduling = 0 WHERE plan_id = ?', [registered.planID]);
    await expect(change({ name: 'Refused' })).rejects.toMatchObject({ code: 'PLAN_FEATURE_UNAVAILABLE' });
    expect(await read()).toMatchObject({ name: 'Early' });
  });

  test('a creator who may no longer schedule the process learns nothing of its variables from the refusal of a change', async () => {
    const registered = await addProcess({ matrix: [{ name: 'pin', type: 'Secreto' }] });
    const { ownerID: accountID } = await addProcess();
    await shareProcess(world.store, registered.processID, accountID, true);
    const id = await addSchedule(world, registered, {}, accountID);
    await world.store.write('DELETE FROM process_share WHERE process_id = ?', [registered.processID]);
    for (const matrix of [{ pin: '1234' }, { other: '1' }]) {
      await expect(world.rpc.call(schedule.change, { id, accountID, changes: { matrix } })).rejects.toMatchObject({
        code: 'FORBIDDEN',
        message: expect.stringMatching(/may no longer schedule/),
      });
    }
  });

  test('a schedule that does not exist is SCHEDULE_NOT_FOUND', async () => {
    const request = { id: uuid(), accountID: uuid() };
    const answers = await Promise.allSettled([
      world.rpc.call(schedule.find, request),
      world.rpc.call(schedule.setActive, { ...request, active: true }),
      world.rpc.call(schedule.remove, request),
      world.rpc.call(schedule.firings, { ...request, limit: 1 }),
      world.rpc.call(schedule.read, request),
      world.rpc.call(schedule.change, { ...request, changes: {} }),
      world.rpc.call(schedule.calendar, { ...request, month: '2026-11' }),
    ]);
    const refused = { status: 'rejected', reason: expect.objectContaining({ code: 'SCHEDULE_NOT_FOUND' }) };
    expect(answers).toEqual(answers.map(() => refused));
  });

  test('a schedule without scheduling in the plan can be switched off and removed, but not switched on', async () => {
    const registered = await addProcess();
    const id = await addSchedule(world, registered);
    const accountID = registered.ownerID;
    await world.store.write('UPDATE plan SET scheduling = 0 WHERE plan_id = ?', [registered.planID]);
    const refused = { code: 'PLAN_FEATURE_UNAVAILABLE', message: expect.stringMatching(/scheduling/) };
    const on = () => world.rpc.call(schedule.setActive, { id, accountID, active: true });
    await expect(on()).rejects.toMatchObject(refused);
    expect(await world.rpc.call(schedule.setActive, { id, accountID, active: false })).toEqual({ id, active: false });
    await expect(on()).rejects.toMatchObject(refused);
    expect(await nextTimeOf(world, id)).toBeNull();
    expect(await world.rpc.call(schedule.remove, { id, accountID })).toEqual({ ok: true });
  });

  /** What happened to the creator, the code with which its own calls are refused, and the statement that makes it happen. */
  const WITHDRAWN: [
    string,
    string,
    (at: RegisteredProcess, creator: string) => [sql: string, parameters: unknown[]],
  ][] = [
    [
      'whose share ended',
      'FORBIDDEN',
      (of, creator) => [`DELETE FROM process_share WHERE ${SHARE_CONDITION}`, [of.processID, creator]],
    ],
    [
      'whose share lost schedule',
      'FORBIDDEN',
      (of, creator) => [`UPDATE process_share SET may_schedule = 0 WHERE ${SHARE_CONDITION}`, [of.processID, creator]],
    ],
    [
      'who was blocked',
      'OWNER_INACTIVE',
      (_, creator) => ['UPDATE account SET blocked = 1 WHERE account_id = ?', [creator]],
    ],
    [
      'whose company was suspended',
      'OWNER_INACTIVE',
      (_, creator) => [
        'UPDATE company c JOIN account a ON a.company_id = c.company_id SET c.suspended = 1 WHERE a.account_id = ?',
        [creator],
      ],
    ],
  ];
  test.each(WITHDRAWN)(
    'a schedule of a creator %s can be switched off and removed, but not switched on',
    async (_, code, withdraw) => {
      const [registered, elsewhere] = [await addProcess(), await addProcess()];
      const creator = elsewhere.ownerID;
      await shareProcess(world.store, registered.processID, creator, true);
      const [active, inactive] = [
        await addSchedule(world, registered, {}, creator),
        await addSchedule(world, registered, {}, creator),
      ];
      const set = (id: string, accountID: string, on: boolean) =>
        world.rpc.call(schedule.setActive, { id, accountID, active: on });
      await set(inactive, creator, false);
      expect(await set(inactive, creator, true)).toEqual({ id: inactive, active: true });
      await set(inactive, creator, false);
      await world.store.write(...withdraw(registered, creator));
      const refused = { code: 'FORBIDDEN', message: expect.stringMatching(/may no longer schedule/) };
      for (const id of [inactive, active]) {
        await expect(set(id, creator, true)).rejects.toMatchObject({ code });
        await expect(set(id, registered.ownerID, true)).rejects.toMatchObject(refused);
      }
      expect(await nextTimeOf(world, inactive)).toBeNull();
      expect(await set(active, registered.ownerID, false)).toEqual({ id: active, active: false });
      expect(await world.rpc.call(schedule.remove, { id: active, accountID: registered.ownerID })).toEqual({
        ok: true,
      });
      expect(await world.rpc.call(schedule.remove, { id: inactive, accountID: registered.ownerID })).toEqual({
        ok: true,
      });
    },
  );

  test('a schedule that is switched on again fires from the next nominal time, without the times in between', async () => {
    const registered = await addProcess();
    const id = await addSchedule(world, registered, { cronExpression: '0 * * * *' });
    const accountID = registered.ownerID;
    await world.rpc.call(schedule.setActive, { id, accountID, active: false });
    await world.setClock('2026-11-20T15:30:00Z');
    expect(await world.rpc.call(schedule.setActive, { id, accountID, active: true })).toEqual({ id, active: true });
    expect(await nextTimeOf(world, id)).toEqual(new Date('2026-11-20T16:00:00Z'));
    expect((await world.rpc.call(schedule.firings, { id, accountID, limit: 10 })).firings).toEqual([]);
    await world.setClock('2026-11-20T12:00:00Z');
  });
});

test('creating, switching and removing a schedule each leave one audit event with its actor and address', async () => {
  const registered = await addProcess();
  const { ownerID } = registered;
  const [credentialID, accountID] = [uuid(), ownerID];
  const asCaller = <T>(work: () => T) =>
    withRequestID('request-7', () => {
      setActor({ accountID, credentialID, address: '2001:db8::7' });
      return work();
    });
  const id = await asCaller(() => addSchedule(world, registered, { name: 'Nightly' }));
  await asCaller(() => world.rpc.call(schedule.setActive, { id, accountID, active: false }));
  await asCaller(() => world.rpc.call(schedule.setActive, { id, accountID, active: false }));
  // A gateway of the previous release sends no actor.
  await world.rpc.call(schedule.setActive, { id, accountID, active: true });
  await asCaller(() => world.rpc.call(schedule.remove, { id, accountID }));
  const events = await world.store.rows(
    'SELECT action, account_id, credential_id, address, detail FROM management_event WHERE object_id = ? ORDER BY event_id',
    [id],
  );
  const known = { account_id: ownerID, credential_id: credentialID, address: '2001:db8::7' };
  const named = JSON.stringify({ name: 'Nightly' });
  expect(events).toEqual([
    { ...known, action: 'schedule.add', detail: JSON.stringify({ name: 'Nightly', cronExpression: '0 9 * * *' }) },
    { ...known, action: 'schedule.off', detail: named },
    { account_id: ownerID, credential_id: null, address: null, action: 'schedule.on', detail: named },
    { ...known, action: 'schedule.delete', detail: named },
  ]);
});
