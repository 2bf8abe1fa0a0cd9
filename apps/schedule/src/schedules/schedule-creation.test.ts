import { schedule, type ScheduleDraft } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addAccount, addEnvironment, register, type Options } from '../../test/registry';
import { listed, nextTimeOf } from '../../test/schedules';
import { create, creationOf, startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const at = async (options: Options = {}) => register(world.store, options);

describe('the creation of a schedule', () => {
  test('stores every field of the contract, with values as the client sent them', async () => {
    const registered = await at({ matrix: [{ name: 'total', type: 'Moeda' }] });
    const matrix = { total: 'R$ 1.234,56' };
    const id = await create(world, registered, {
      matrix,
      environmentID: registered.environmentID,
      cronExpression: ' 0 9 * * * ',
    });
    expect(await listed(world, registered.ownerID)).toEqual([
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
    // The clock is at nine o'clock in São Paulo, so that today's time is no longer ahead.
    expect(await nextTimeOf(world, id)).toEqual(new Date('2026-11-21T12:00:00Z'));
  });

  test('without an environment lists that of the process, or none', async () => {
    const [registered, without] = [await at(), await at({ withEnvironment: false })];
    await create(world, registered);
    await create(world, without);
    expect((await listed(world, registered.ownerID))[0]).toMatchObject({
      environmentID: registered.environmentID,
      matrix: {},
    });
    expect((await listed(world, without.ownerID))[0]?.environmentID).toBe('');
  });

  test('sets no next time when the schedule is inactive', async () => {
    const registered = await at();
    const id = await create(world, registered, { active: false });
    expect([await nextTimeOf(world, id), (await listed(world, registered.ownerID))[0]?.active]).toEqual([null, false]);
  });

  const variables = [
    { name: 'total', type: 'Número' },
    { name: 'token', type: 'Secreto' },
  ];
  const REFUSALS: [string, Options, Partial<ScheduleDraft>, string, RegExp][] = [
    ['a cron expression of six fields', {}, { cronExpression: '0 0 9 * * *' }, 'INVALID_CRON', /^cronExpression:/],
    ['a day that no year has', {}, { cronExpression: '0 9 31 2 *' }, 'INVALID_CRON', /^cronExpression:/],
    ['an inactive owner', { blocked: true, scheduling: false }, { matrix: { none: 1 } }, 'OWNER_INACTIVE', /owner/],
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
  test.each(REFUSALS)('is refused with %s and stores nothing', async (_, options, draft, code, message) => {
    const registered = await at({ matrix: variables, ...options });
    await expect(create(world, registered, draft)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(await listed(world, registered.ownerID)).toEqual([]);
  });

  test('requires an environment that both the creator and the owner may use', async () => {
    const registered = await at();
    const colleague = await addAccount(world.store, registered.companyID);
    const environmentOf = (accountID: string, shared: boolean) =>
      addEnvironment(world.store, { accountID, companyID: registered.companyID, shared });
    const own = await environmentOf(colleague, false);
    const shared = await environmentOf(colleague, true);
    const refused = { code: 'INVALID_ENVIRONMENT' };
    await expect(create(world, registered, { environmentID: own }, colleague)).rejects.toMatchObject(refused);
    const ofOwner = registered.environmentID;
    await expect(create(world, registered, { environmentID: ofOwner }, colleague)).rejects.toMatchObject(refused);
    expect(await create(world, registered, { environmentID: shared }, colleague)).toEqual(expect.any(String));
  });

  describe('repeated with one id', () => {
    test('stores one schedule, at any replica and after changes of the owner', async () => {
      const registered = await at();
      const creation = creationOf(registered);
      const { id } = creation;
      const attempts = [creation, creation, { ...creation, resent: true }, { ...creation, resent: true }];
      const replies = await Promise.all(attempts.map((attempt) => world.rpc.call(schedule.create, attempt)));
      expect(replies).toEqual(attempts.map(() => ({ id })));
      await world.store.write('UPDATE account SET blocked = 1 WHERE account_id = ?', [registered.ownerID]);
      const late = { ...creation, deadline: Date.now() - 60_000, resent: true };
      expect(await world.rpc.call(schedule.create, late)).toEqual({ id });
      expect((await listed(world, registered.ownerID)).map((one) => one.id)).toEqual([id]);
    });

    test('stores nothing after the deadline', async () => {
      const registered = await at();
      const late = { ...creationOf(registered), deadline: Date.now() - 60_000, resent: true };
      await expect(world.rpc.call(schedule.create, late)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
      expect(await listed(world, registered.ownerID)).toEqual([]);
    });
  });

  test('is refused beyond the quota of the company that owns the process, also when two replicas create at once', async () => {
    const registered = await at();
    const { processID, ownerID } = registered;
    await world.store.write(
      `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix, active, created_at)
         SELECT UUID(), ?, ?, 'ERP', 'k', 'Nightly', '0 9 * * *', '{}', 0, UTC_TIMESTAMP(3) FROM seq_1_to_9998`,
      [processID, ownerID],
    );
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => create(world, registered)));
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
