import type { AuditEvent } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { addProcess, addShareHolder } from '../../test/processes';
import { createWorld, listOf, type ConsoleWorld } from '../../test/world';

let world: ConsoleWorld;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

/** An event in which an account acted through the console. */
const eventOf = ({ id, email }: { id: string; email: string }): AuditEvent => ({
  at: '2026-11-20T12:00:00.000Z',
  action: 'stop',
  instanceID: uuid(),
  executor: email,
  accountID: id,
  detail: {},
});

/** An owner, and an account of another company that has a share. */
async function addPeople() {
  const owner = await world.addPerson({ role: 'administrator' });
  const pid = await addProcess(owner);
  const guest = await addShareHolder(world, owner, pid, { edit: true });
  return { owner, guest, pid };
}

async function shownTo(reader: Awaited<ReturnType<typeof addPeople>>['guest'], pid: string) {
  const events = listOf(await reader.must('GET', `/processes/${pid}/audit`), 'events');
  return events.map(({ accountID, executor }) => [accountID, executor]);
}

test('an audit trail names accounts of other companies to the owner by their e-mail address only', async () => {
  const { owner, guest, pid } = await addPeople();
  const endOfStop = { ...eventOf(guest), action: 'end', accountID: null };
  world.fakeExecution.trail = [eventOf(owner), eventOf(guest), endOfStop];
  expect(await shownTo(owner, pid)).toEqual([
    [owner.id, owner.email],
    [null, guest.email],
    [null, guest.email],
  ]);
});

test('a share sees the executors of an audit trail as execution answers them, also one that is the e-mail address of an account', async () => {
  const { owner, guest, pid } = await addPeople();
  // The Identifier of a process key may be any text.
  const ofKey = { ...eventOf(guest), executor: owner.email };
  const ofOwner = { ...eventOf(owner), accountID: null, executor: 'Olga' };
  world.fakeExecution.trail = [ofKey, ofOwner];
  expect(await shownTo(guest, pid)).toEqual([
    [guest.id, owner.email],
    [null, 'Olga'],
  ]);
});

test('the audit feed of a company has the ids of its own accounts only, and that of operators has all', async () => {
  const { owner, guest } = await addPeople();
  const { companyID } = owner;
  const events = [eventOf(owner), eventOf(guest)].map((event, index) => ({
    ...event,
    id: index + 1,
    processID: uuid(),
    companyID,
  }));
  world.fakeExecution.feed.push(...events);
  const accountsIn = async (reader: { must: typeof owner.must }, path: string) => {
    const shown = listOf(await reader.must('GET', `${path}?limit=500`), 'events');
    return shown.filter(({ source }) => source === 'instance').map(({ accountID }) => accountID);
  };
  expect(await accountsIn(owner, '/company/audit/feed')).toEqual([owner.id, null]);
  expect(await accountsIn(world.operator, '/audit/feed')).toEqual([owner.id, guest.id]);
});
