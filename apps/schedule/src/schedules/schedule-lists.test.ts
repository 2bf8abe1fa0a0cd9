import { schedule } from '@batuta/contracts';
import { openStore, PageBudget } from '@batuta/database';
import { registerProcess, shareProcess, type RegisterOptions } from '../../test/registry';
import { listSchedules } from '../../test/schedules';
import { addSchedule, startWorld, type ScheduleWorld } from '../../test/world';
import { pageOfSchedules } from './schedule.repository';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld({ replicas: 2 });
});
afterAll(() => world?.close());

const addProcess = async (options: RegisterOptions = {}) => registerProcess(world.store, options);

describe('lists', () => {
  test('the list of schedules has the schedules of own processes and those that the account created, oldest first', async () => {
    const [registered, elsewhere, foreign] = [await addProcess(), await addProcess(), await addProcess()];
    await shareProcess(world.store, registered.processID, elsewhere.ownerID, true);
    await shareProcess(world.store, elsewhere.processID, registered.ownerID, true);
    await shareProcess(world.store, foreign.processID, elsewhere.ownerID, true);
    const byOther = await addSchedule(world, registered, { name: 'by another' }, elsewhere.ownerID);
    const own = await addSchedule(world, registered, { name: 'own' });
    const onShared = await addSchedule(world, elsewhere, { name: 'on a shared one' }, registered.ownerID);
    await addSchedule(world, foreign, {}, elsewhere.ownerID);
    await addSchedule(world, elsewhere);
    expect((await listSchedules(world, registered.ownerID)).map(({ id }) => id)).toEqual([byOther, own, onShared]);
  });

  test('the list of schedules marks schedules that do not fire because the plan has no scheduling', async () => {
    const registered = await addProcess();
    await addSchedule(world, registered);
    await world.store.write('UPDATE plan SET scheduling = 0 WHERE plan_id = ?', [registered.planID]);
    expect((await listSchedules(world, registered.ownerID))[0]).toMatchObject({
      active: true,
      unavailable: 'OWNER_PLAN_NO_SCHEDULING',
    });
  });

  test('a schedule shows no value of a variable that has become a Secreto, also under another name, and every other value', async () => {
    const registered = await addProcess({ matrix: ['pin', 'total', 'note'].map((name) => ({ name, type: 'Texto' })) });
    const { processID, ownerID: accountID } = registered;
    const id = await addSchedule(world, registered, { matrix: { pin: '1234', total: '5', note: null } });
    const become = "UPDATE matrix_variable SET type = 'Secreto' WHERE process_id = ? AND name <> 'total'";
    await world.store.write(become, [processID]);
    const shown = { id, matrix: { pin: '•••', total: '5', note: null } };
    expect(await world.rpc.call(schedule.read, { id, accountID })).toMatchObject(shown);
    expect((await world.rpc.call(schedule.list, { accountID })).schedules).toMatchObject([shown]);
    expect((await world.rpc.call(schedule.ofProcess, { processID })).schedules).toMatchObject([shown]);
    const rename = "UPDATE matrix_variable SET name = 'code' WHERE process_id = ? AND name = 'pin'";
    await world.store.write(rename, [processID]);
    expect(await world.rpc.call(schedule.read, { id, accountID })).toMatchObject(shown);
  });

  test.each([
    ['is renamed', "UPDATE matrix_variable SET name = 'code' WHERE process_id = ? AND name = 'pin'"],
    ['is removed', "DELETE FROM matrix_variable WHERE process_id = ? AND name = 'pin'"],
  ])('a schedule shows no value of a variable that has become a Secreto and then %s', async (_, change) => {
    const registered = await addProcess({ matrix: ['pin', 'total'].map((name) => ({ name, type: 'Texto' })) });
    const { processID, ownerID: accountID } = registered;
    const id = await addSchedule(world, registered, { matrix: { pin: '1234', total: '5' } });
    const become = "UPDATE matrix_variable SET type = 'Secreto' WHERE process_id = ? AND name = 'pin'";
    for (const sql of [become, change]) await world.store.write(sql, [processID]);
    expect(await world.rpc.call(schedule.read, { id, accountID })).toMatchObject({
      matrix: { pin: '•••', total: '5' },
    });
  });

  test('the list of schedules has pages that fit into one message', async () => {
    const registered = await addProcess({ matrix: [{ name: 'text', type: 'Texto' }] });
    const matrix = { text: 'x'.repeat(900_000) };
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push(await addSchedule(world, registered, { matrix }));
    const first = await world.rpc.call(schedule.list, { accountID: registered.ownerID });
    expect([first.schedules.length, first.more]).toEqual([1, true]);
    expect((await listSchedules(world, registered.ownerID)).map(({ id }) => id)).toEqual(ids);
    const last = await world.rpc.call(schedule.ofProcess, { processID: registered.processID, after: ids[3] });
    expect([last.schedules.map(({ id }) => id), last.more]).toEqual([ids.slice(4), false]);
  });

  test('a page whose schedules are all removed while it is read has the schedules after them', async () => {
    const registered = await addProcess({ matrix: [{ name: 'text', type: 'Texto' }] });
    const matrix = { text: 'x'.repeat(900_000) };
    const ids: string[] = [];
    for (let n = 0; n < 3; n += 1) ids.push(await addSchedule(world, registered, { matrix }));
    class RemovingPages extends PageBudget {
      override async read<Page>(reader: string, bytes: number, read: () => Promise<Page>): Promise<Page> {
        await world.store.write('DELETE FROM schedule WHERE schedule_id = ?', [ids[0]]);
        return super.read(reader, bytes, read);
      }
    }
    const { schedules, more } = await pageOfSchedules(world.store, new RemovingPages(), registered);
    expect([schedules.map(({ id }) => id), more]).toEqual([[ids[1]], true]);
  });

  test('a schedule that is read alone counts against the budget of pages', async () => {
    const registered = await addProcess({ matrix: [{ name: 'text', type: 'Texto' }] });
    const id = await addSchedule(world, registered, { matrix: { text: 'x'.repeat(900_000) } });
    const read = jest.spyOn(PageBudget.prototype, 'read');
    const found = await world.rpc.call(schedule.read, { id, accountID: registered.ownerID });
    const [, bytes] = read.mock.lastCall ?? [];
    read.mockRestore();
    expect(found.id).toBe(id);
    expect(bytes).toBeGreaterThan(900_000);
  });

  test('the list of schedules reads only the values of schedules in the page', async () => {
    const registered = await addProcess();
    await world.store.write(
      `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix,
         environment_id, active, next_at, created_at)
       SELECT CONCAT('01920000-0000-7000-8000-', LPAD(seq, 12, '0')), ?, ?, 'u', 'e', 'n', '0 9 * * *',
              CONCAT('{"text":"', REPEAT('x', 100000), '"}'), NULL, 1, NULL, UTC_TIMESTAMP(3) FROM seq_1_to_30`,
      [registered.processID, registered.ownerID],
    );
    const store = await openStore({ url: world.databaseURL, pool: 1 });
    const sent = async () =>
      Number((await store.row<{ Value: string }>("SHOW SESSION STATUS LIKE 'Bytes_sent'"))?.Value);
    const before = await sent();
    const read = await pageOfSchedules(store, new PageBudget(), { accountID: registered.ownerID });
    expect([read.schedules.length, read.more]).toEqual([10, true]);
    expect((await sent()) - before).toBeLessThan(1_100_000);
    await store.close();
    expect(await listSchedules(world, registered.ownerID)).toHaveLength(30);
  });
});

test('a preview lists the next ten times, in UTC and in the local time of São Paulo', async () => {
  const { times } = await world.rpc.call(schedule.preview, { cronExpression: '0 9 * * *' });
  expect(times).toHaveLength(10);
  expect(times[0]).toEqual({ at: '2026-11-21T12:00:00.000Z', local: '2026-11-21T09:00:00-03:00' });
  await expect(world.rpc.call(schedule.preview, { cronExpression: '@daily' })).rejects.toMatchObject({
    code: 'INVALID_CRON',
  });
});

test('firings with long reasons are listed in pages of about 1 MB, down to the last one', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered, { active: false });
  const count = 400;
  await world.store.write(
    `INSERT INTO schedule_firing (schedule_id, nominal_at, result, reason_code, reason_message)
       SELECT ?, '2026-01-01' + INTERVAL seq MINUTE, 'failed', 'INVALID_MATRIX', REPEAT('💥', 2000) FROM seq_1_to_${count}`,
    [id],
  );
  const sizes: number[] = [];
  const seen = new Set<string>();
  for (let before: string | undefined, more = true; more;) {
    const answer = await world.rpc.call(schedule.firings, { id, accountID: registered.ownerID, limit: 500, before });
    sizes.push(Buffer.byteLength(JSON.stringify(answer)));
    for (const { nominalAt } of answer.firings) seen.add(nominalAt);
    before = answer.older?.before;
    more = before !== undefined;
  }
  expect(sizes).toHaveLength(4);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_100_000);
  expect(seen.size).toBe(count);
});

test('firings are listed newest first, in pages that begin after the last nominal time', async () => {
  const registered = await addProcess();
  const id = await addSchedule(world, registered, { active: false });
  const times = ['2026-11-19T12:00:00.000Z', '2026-11-18T12:00:00.000Z', '2026-11-17T12:00:00.000Z'];
  for (const time of times) {
    await world.store.write("INSERT INTO schedule_firing (schedule_id, nominal_at, result) VALUES (?, ?, 'fired')", [
      id,
      new Date(time),
    ]);
  }
  const ask = (limit: number, before?: string) =>
    world.rpc.call(schedule.firings, { id, accountID: registered.ownerID, limit, before });
  expect((await ask(2)).firings.map(({ nominalAt }) => nominalAt)).toEqual(times.slice(0, 2));
  expect((await ask(2, times[1])).firings.map(({ nominalAt }) => nominalAt)).toEqual(times.slice(2));
  expect([(await ask(2)).older, (await ask(2, times[1])).older]).toEqual([{ before: times[1] }, undefined]);
});
