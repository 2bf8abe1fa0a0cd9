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

/** An owner, a colleague, and an account of another company that has a share. */
async function addPeople() {
  const owner = await world.addPerson({ role: 'administrator', name: 'Olga' });
  const colleague = await world.addPerson({ companyID: owner.companyID });
  const pid = await addProcess(owner);
  const guest = await addShareHolder(world, owner, pid, { edit: true });
  await owner.must('PUT', `/processes/${pid}/shares/${colleague.email}`, { edit: true });
  return { owner, colleague, guest, pid };
}

test('an audit trail names accounts of other companies to the owner by their e-mail address only, and to a share the owner by name only', async () => {
  const { owner, colleague, guest, pid } = await addPeople();
  const ofKey = { ...eventOf(owner), executor: 'erp-key' };
  const endOfStop = { ...eventOf(owner), action: 'end', accountID: null };
  world.fakeExecution.trail = [eventOf(owner), eventOf(guest), ofKey, endOfStop];
  const shownTo = async (reader: typeof owner) => {
    const events = listOf(await reader.must('GET', `/processes/${pid}/audit`), 'events');
    return events.map(({ accountID, executor }) => [accountID, executor]);
  };
  const seenByCompany = [
    [owner.id, owner.email],
    [null, guest.email],
    [owner.id, 'erp-key'],
    [null, owner.email],
  ];
  expect(await shownTo(owner)).toEqual(seenByCompany);
  expect(await shownTo(colleague)).toEqual(seenByCompany.with(1, [null, '']));
  expect(await shownTo(guest)).toEqual([
    [null, 'Olga'],
    [guest.id, guest.email],
    [null, 'erp-key'],
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
