import { schedule, type ScheduleDraft } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addAccount, addEnvironment, registerProcess, shareProcess, type RegisterOptions } from '../../test/registry';
import { listSchedules, nextTimeOf } from '../../test/schedules';
import { addSchedule, creationRequest, startWorld, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const addProcess = async (options: RegisterOptions = {}) => registerProcess(world.store, options);

describe('creation', () => {
  test('the creation of a schedule stores every field of the contract, with values as the client sent them', async () => {
    const registered = await addProcess({ matrix: [{ name: 'total', type: 'Moeda' }] });
    const matrix = { total: 'R$ 1.234,56' };
    const id = await addSchedule(world, registered, {
      matrix,
      environmentID: registered.environmentID,
      cronExpression: ' 0 9 * * * ',
    });
    expect(await listSchedules(world, registered.ownerID)).toEqual([
      {
        id,
        name: 'Nightly',
        processID: registered.processID,
        processName: 'Orders',
        cronExpression: '0 9 * * *',
        active: true,
        userName: 'ERP',
        matrix,
        environmentID: registered.environmentID,
      },
    ]);
    // The clock shows nine o'clock in São Paulo, so a time of today that is already past is not the next one.
    expect(await nextTimeOf(world, id)).toEqual(new Date('2026-11-21T12:00:00Z'));
  });

  test('who creates a schedule may have an e-mail address that is longer than a stored executor', async () => {
    const creation = { ...creationRequest(await addProcess()), executor: `${'a'.repeat(240)}@example.com` };
    await world.rpc.call(schedule.create, creation);
    expect(await world.store.rows('SELECT executor FROM schedule WHERE schedule_id = ?', [creation.id])).toEqual([
      { executor: creation.executor.slice(0, 120) },
    ]);
  });

  test('a new schedule without an environment lists the environment of the process, or none', async () => {
    const [registered, without] = [await addProcess(), await addProcess({ withEnvironment: false })];
    await addSchedule(world, registered);
    await addSchedule(world, without);
    expect((await listSchedules(world, registered.ownerID))[0]).toMatchObject({
      environmentID: registered.environmentID,
      matrix: {},
    });
    expect((await listSchedules(world, without.ownerID))[0]?.environmentID).toBe('');
  });

  test('the creation of a schedule sets no next time when the schedule is inactive', async () => {
    const registered = await addProcess();
    const id = await addSchedule(world, registered, { active: false });
    expect([await nextTimeOf(world, id), (await listSchedules(world, registered.ownerID))[0]?.active]).toEqual([
      null,
      false,
    ]);
  });

  const variables = [
    { name: 'total', type: 'Número' },
    { name: 'token', type: 'Secreto' },
  ];
  const REFUSALS: [string, RegisterOptions, Partial<ScheduleDraft>, string, RegExp][] = [
    ['a cron expression of six fields', {}, { cronExpression: '0 0 9 * * *' }, 'INVALID_CRON', /^cronExpression:/],
    ['a day that no year has', {}, { cronExpression: '0 9 31 2 *' }, 'INVALID_CRON', /^cronExpression:/],
    [
      'an inactive owner',
      { ownerBlocked: true, scheduling: false },
      { matrix: { none: 1 } },
      'OWNER_INACTIVE',
      /owner/,
    ],
    [
      'a plan without scheduling',
      { scheduling: false },
      { matrix: { none: 1 } },
      'PLAN_FEATURE_UNAVAILABLE',
      /scheduling/,
    ],
    ['an unknown variable', {}, { matrix: { none: 1 }, environmentID: uuid() }, 'INVALID_MATRIX', /^none:/],
    ['a value that does not fit', {}, { matrix: { total: '1,2,3' } }, 'INVALID_MATRIX', /^total:/],
    [
      'a number in JSON text that no double holds',
      { matrix: [{ name: 'order', type: 'Objeto' }] },
      { matrix: { order: '{"a":[1e400]}' } },
      'INVALID_MATRIX',
      /^order:/,
    ],
    ['a Secreto', {}, { matrix: { token: 's3cret' } }, 'INVALID_MATRIX', /^token:(?!.*s3cret)/],
    ['a Secreto without a value', {}, { matrix: { token: null } }, 'INVALID_MATRIX', /^token:/],
    ['an environment that does not exist', {}, { environmentID: uuid() }, 'INVALID_ENVIRONMENT', /^environmentID:/],
  ];
  test.each(REFUSALS)(
    'the creation of a schedule is refused with %s and stores nothing',
    async (_, options, draft, code, message) => {
      const registered = await addProcess({ matrix: variables, ...options });
      await expect(addSchedule(world, registered, draft)).rejects.toMatchObject({
        code,
        message: expect.stringMatching(message),
      });
      expect(await listSchedules(world, registered.ownerID)).toEqual([]);
    },
  );

  test('the creation of a schedule requires an environment that both the creator and the owner may use', async () => {
    const registered = await addProcess();
    const colleague = await addAccount(world.store, registered.companyID);
    await shareProcess(world.store, registered.processID, colleague, true);
    const environmentOf = (accountID: string, shared: boolean) =>
      addEnvironment(world.store, { accountID, companyID: registered.companyID, shared });
    const own = await environmentOf(colleague, false);
    const shared = await environmentOf(colleague, true);
    const refused = { code: 'INVALID_ENVIRONMENT' };
    await expect(addSchedule(world, registered, { environmentID: own }, colleague)).rejects.toMatchObject(refused);
    const ofOwner = registered.environmentID;
    await expect(addSchedule(world, registered, { environmentID: ofOwner }, colleague)).rejects.toMatchObject(refused);
    expect(await addSchedule(world, registered, { environmentID: shared }, colleague)).toEqual(expect.any(String));
  });

  describe('repetition', () => {
    test('the creation of a schedule that is repeated with one id stores one schedule, at any replica and after changes of the owner', async () => {
      const registered = await addProcess();
      const creation = creationRequest(registered);
      const { id } = creation;
      const attempts = [creation, creation, { ...creation, resent: true }, { ...creation, resent: true }];
      const replies = await Promise.all(attempts.map((attempt) => world.rpc.call(schedule.create, attempt)));
      expect(replies).toEqual(attempts.map(() => ({ id })));
      await world.store.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [registered.ownerID]);
      const late = { ...creation, deadline: Date.now() - 60_000, resent: true };
      expect(await world.rpc.call(schedule.create, late)).toEqual({ id });
      expect((await listSchedules(world, registered.ownerID)).map((one) => one.id)).toEqual([id]);
    });

    test('the creation of a schedule that is repeated with one id stores nothing after the deadline', async () => {
      const registered = await addProcess();
      const late = { ...creationRequest(registered), deadline: Date.now() - 60_000, resent: true };
      await expect(world.rpc.call(schedule.create, late)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await listSchedules(world, registered.ownerID)).toEqual([]);
    });
  });

  test('the creation of a schedule is refused beyond the quota of the company that owns the process, also when two replicas create at once', async () => {
    const registered = await addProcess();
    const { processID, ownerID } = registered;
    await world.store.write(
      `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, created_at)
         SELECT UUID(), ?, ?, 'ERP', 'k', 'Nightly', '0 9 * * *', '{}', 0, UTC_TIMESTAMP(3) FROM seq_1_to_9998`,
      [processID, ownerID],
    );
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => addSchedule(world, registered)));
    const refused = attempts.filter((attempt) => attempt.status === 'rejected');
    expect(refused.map(({ reason }) => Object(reason))).toEqual(
      Array.from({ length: 4 }, () =>
        expect.objectContaining({
          code: 'QUOTA_EXCEEDED',
          message: expect.stringMatching(/at most 10000 schedules .*QUOTA_SCHEDULES.*remove one/),
        }),
      ),
    );
    await world.store.write('DELETE FROM schedule WHERE process_id = ?', [processID]);
  });
});
