import { schedule, type Caller } from '@batuta/contracts';
import { callDuringChange, revocations } from '../../../../test/support/call-during-change';
import { addLoginSession } from '../../../../test/support/login-session';
import { addAccount, registerProcess, shareProcess, type RegisteredProcess } from '../../test/registry';
import { addSchedule, creationRequest, startWorld, type ScheduleWorld } from '../../test/world';

let world: ScheduleWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

interface SharedSchedule {
  registered: RegisteredProcess;
  id: string;
  by: Caller;
}

/** A schedule that is switched off, and the account that created it by a share. */
async function createSharedSchedule(): Promise<SharedSchedule> {
  const registered = await registerProcess(world.store);
  const accountID = await addAccount(world.store, registered.companyID);
  await shareProcess(world.store, registered.processID, accountID, true);
  const { sessionHash } = await addLoginSession(world.store, accountID);
  const id = await addSchedule(world, registered, { active: false }, accountID);
  return { registered, id, by: { accountID, sessionHash } };
}

const create = ({ registered, by }: SharedSchedule) =>
  world.rpc.call(schedule.create, { ...creationRequest(registered), creator: { ...by, label: 'Ana' } });
const change = ({ id, by }: SharedSchedule) =>
  world.rpc.call(schedule.change, { id, ...by, changes: { name: 'Other', matrix: {} } });
const switchOn = ({ id, by }: SharedSchedule) => world.rpc.call(schedule.setActive, { id, ...by, active: true });
const remove = ({ id, by }: SharedSchedule) => world.rpc.call(schedule.remove, { id, ...by });

const stored = ({ registered: { processID } }: SharedSchedule) =>
  Promise.all([
    world.store.rows('SELECT * FROM schedule WHERE process_id = ? ORDER BY schedule_id', [processID]),
    world.store.rows('SELECT * FROM management_event WHERE process_id = ? ORDER BY event_id', [processID]),
  ]);

test.each<[string, string, keyof typeof revocations, string, (shared: SharedSchedule) => Promise<unknown>]>([
  ['whose share ends', 'creates', 'share', 'PROCESS_NOT_FOUND', create],
  ['whose share ends', 'changes', 'share', 'FORBIDDEN', change],
  ['whose share ends', 'switches on', 'share', 'FORBIDDEN', switchOn],
  ['that loses the permission `schedule`', 'creates', 'permissions', 'FORBIDDEN', create],
  ['that loses the permission `schedule`', 'switches on', 'permissions', 'FORBIDDEN', switchOn],
  ['that is blocked', 'creates', 'access', 'OWNER_INACTIVE', create],
  ['that is blocked', 'changes', 'access', 'OWNER_INACTIVE', change],
  ['that is blocked', 'removes', 'access', 'OWNER_INACTIVE', remove],
  ['whose session ends', 'creates', 'session', 'INVALID_CREDENTIAL', create],
  ['whose session ends', 'changes', 'session', 'INVALID_CREDENTIAL', change],
  ['whose session ends', 'switches on', 'session', 'INVALID_CREDENTIAL', switchOn],
  ['whose session ends', 'removes', 'session', 'INVALID_CREDENTIAL', remove],
  ['whose session expires', 'changes', 'sessionTime', 'INVALID_CREDENTIAL', change],
])('an account %s while it waits for the lock of the process %s no schedule', async (_, __, revocation, code, ask) => {
  const shared = await createSharedSchedule();
  const before = await stored(shared);
  const { registered, by } = shared;
  const refusal = await callDuringChange(
    world.store,
    (tx) => revocations[revocation](tx, registered.processID, by.accountID),
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
  const shared = await createSharedSchedule();
  const { registered, id, by } = shared;
  await switchOn(shared);
  await revocations.share(world.store, registered.processID, by.accountID);
  expect(await world.rpc.call(schedule.setActive, { id, ...by, active: false })).toEqual({ id, active: false });
  expect(await remove(shared)).toEqual({ ok: true });
});
