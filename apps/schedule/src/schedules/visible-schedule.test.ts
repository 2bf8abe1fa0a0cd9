import { schedule } from '@batuta/contracts';
import { callDuringChange, endings } from '../../../../test/support/call-during-change';
import { addAccount, registerProcess, shareProcess, type RegisteredOwner } from '../../test/registry';
import { addSchedule, creationRequest, startWorld, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

interface SharedSchedule {
  registered: RegisteredOwner;
  id: string;
  accountID: string;
}

/** A schedule that is switched off, and the account that created it by a share. */
async function sharedSchedule(): Promise<SharedSchedule> {
  const registered = await registerProcess(world.store);
  const accountID = await addAccount(world.store, registered.companyID);
  await shareProcess(world.store, registered.processID, accountID, true);
  return { registered, id: await addSchedule(world, registered, { active: false }, accountID), accountID };
}

const create = ({ registered, accountID }: SharedSchedule) =>
  world.rpc.call(schedule.create, creationRequest(registered, {}, accountID));
const change = ({ id, accountID }: SharedSchedule) =>
  world.rpc.call(schedule.change, { id, accountID, changes: { name: 'Other', matrix: {} } });
const switchOn = ({ id, accountID }: SharedSchedule) =>
  world.rpc.call(schedule.setActive, { id, accountID, active: true });
const remove = ({ id, accountID }: SharedSchedule) => world.rpc.call(schedule.remove, { id, accountID });

const stored = ({ registered: { processID } }: SharedSchedule) =>
  Promise.all([
    world.store.rows('SELECT * FROM schedule WHERE process_id = ? ORDER BY schedule_id', [processID]),
    world.store.rows('SELECT * FROM management_event WHERE process_id = ? ORDER BY event_id', [processID]),
  ]);

test.each<[string, string, keyof typeof endings, string, (shared: SharedSchedule) => Promise<unknown>]>([
  ['whose share ends', 'creates', 'share', 'PROCESS_NOT_FOUND', create],
  ['whose share ends', 'changes', 'share', 'FORBIDDEN', change],
  ['whose share ends', 'switches on', 'share', 'FORBIDDEN', switchOn],
  ['that loses the permission `schedule`', 'creates', 'permissions', 'FORBIDDEN', create],
  ['that loses the permission `schedule`', 'switches on', 'permissions', 'FORBIDDEN', switchOn],
  ['that is blocked', 'creates', 'access', 'OWNER_INACTIVE', create],
  ['that is blocked', 'changes', 'access', 'OWNER_INACTIVE', change],
  ['that is blocked', 'removes', 'access', 'OWNER_INACTIVE', remove],
])('an account %s while it waits for the lock of the process %s no schedule', async (_, __, ending, code, ask) => {
  const shared = await sharedSchedule();
  const before = await stored(shared);
  const { registered, accountID } = shared;
  const refusal = await callDuringChange(
    world.store,
    (tx) => endings[ending](tx, registered.processID, accountID),
    () =>
      ask(shared).then(
        () => 'no refusal',
        (error: { code: string }) => error.code,
      ),
  );
  expect(refusal).toBe(code);
  expect(await stored(shared)).toEqual(before);
});

test('an account switches off and removes its schedule after its share has ended', async () => {
  const shared = await sharedSchedule();
  const { registered, id, accountID } = shared;
  await switchOn(shared);
  await endings.share(world.store, registered.processID, accountID);
  expect(await world.rpc.call(schedule.setActive, { id, accountID, active: false })).toEqual({ id, active: false });
  expect(await remove(shared)).toEqual({ ok: true });
});
