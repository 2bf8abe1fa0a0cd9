import { recordAction, type RecordedAction } from '@batuta/audit';
import { v7 as uuid } from 'uuid';
import { findLargeReads, recordStatements } from '../../../../test/support/query-plans';
import { waitUntil } from '../../../../test/support/wait-until';
import { addEnvironment, addProcess, addShareHolder, GREETING_FLOW } from '../../test/processes';
import { asRecord, createWorld, listOf, type ConsoleWorld, type TestPerson } from '../../test/world';
import { newestEvents } from './management-events.repository';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld({ TRUST_PROXY: '1' });
});

afterAll(() => world?.close());

const read = async (admin: TestPerson, query = '') => {
  const page = await admin.must('GET', `/company/audit?${query}`);
  return { events: listOf(page, 'events'), older: page.older && asRecord(page.older).before };
};
const actionsOf = async (admin: TestPerson, query = '') =>
  (await read(admin, query)).events.map(({ action }) => action);
const record = (actions: RecordedAction[]) =>
  world.store.transaction(async (tx) => actions.forEach((action) => recordAction(tx, action)));

test('administrators read the actor, action and address of each change, and other companies read nothing of it', async () => {
  const admin = await world.addPerson({ role: 'administrator', name: '<script>alert(1)</script>' });
  const member = await world.addPerson({ companyID: admin.companyID, name: 'Bia' });
  const headers = { 'x-forwarded-for': '203.0.113.9', 'x-request-id': 'request-7' };
  const made = await member.call('POST', '/credentials', { label: 'ERP' }, headers);
  const { events } = await read(admin);
  expect(events).toEqual([
    {
      id: expect.any(String),
      at: expect.any(String),
      action: 'credential.add',
      object: made.body.id,
      processID: null,
      by: { kind: 'person', accountID: member.id, name: 'Bia', email: member.email, credentialID: null, label: '' },
      address: '203.0.113.9',
      requestID: 'request-7',
      detail: { label: 'ERP' },
    },
  ]);
  expect(JSON.stringify(events)).not.toContain(String(made.body.value).split('.')[1]);
  const stranger = await world.addPerson({ role: 'administrator' });
  expect((await read(stranger)).events).toEqual([]);
  expect((await read(stranger, `person=${member.id}`)).events).toEqual([]);
  expect((await read(stranger, `object=${String(made.body.id)}`)).events).toEqual([]);
  expect((await read(stranger, `before=${String(events[0]?.id)}`)).events).toEqual([]);
  for (const one of [member, world.operator]) {
    expect(await one.refusal('GET', '/company/audit')).toMatchObject({ error: '403 FORBIDDEN' });
  }
});

test.each([
  ['203.0.113.9:4711', '203.0.113.9'],
  ['[2001:db8::9]:4711', '2001:db8::9'],
  ['unknown', null],
])('an event whose caller a proxy names %s has the address %s', async (forwarded, address) => {
  const admin = await world.addPerson({ role: 'administrator' });
  const made = await admin.call('POST', '/credentials', { label: 'ERP' }, { 'x-forwarded-for': forwarded });
  expect((await read(admin, `object=${String(made.body.id)}`)).events).toMatchObject([{ address }]);
});

test('in the audit trail of a company an operator stays anonymous, and an account of another company is shown by its e-mail address only', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  await world.operator.must('PATCH', `/companies/${admin.companyID}`, { suspended: false });
  const pid = await addProcess(admin);
  const guest = await addShareHolder(world, admin, pid, { edit: true });
  await guest.must('PUT', `/processes/${pid}/flow`, GREETING_FLOW);
  const [saved, , , change] = (await read(admin)).events;
  expect(saved).toMatchObject({
    action: 'flow.save',
    processID: pid,
    by: { kind: 'person', accountID: null, name: '', email: guest.email },
    address: null,
  });
  expect(change).toMatchObject({
    action: 'company.change',
    by: { kind: 'operator', accountID: null, name: '', email: '' },
    address: null,
  });
  const credential = await guest.must('POST', '/credentials', { label: 'Project of the guest' });
  await world.store.write(
    `INSERT INTO management_event (event_id, company_id, account_id, credential_id, action, object_id, detail, created_at)
       VALUES (?, ?, ?, ?, 'schedule.add', ?, '{}', UTC_TIMESTAMP(3))`,
    [uuid(), admin.companyID, guest.id, credential.id, uuid()],
  );
  const [scheduled] = (await read(admin)).events;
  const actor = { kind: 'credential', accountID: null, name: '', email: guest.email, credentialID: null, label: '' };
  expect(scheduled).toMatchObject({ by: actor });
  const guestsAdmin = await world.addPerson({ companyID: guest.companyID, role: 'administrator' });
  expect(await actionsOf(guestsAdmin)).toEqual(['credential.add']);
});

test('the audit events of a share are found by every spelling of its e-mail address', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const processID = await addProcess(admin);
  await admin.must('PUT', `/processes/${processID}/shares/ana@example.com`, {});
  for (const spelling of ['ana@example.com', 'Ana@Example.COM', ' ana＠example.com ']) {
    expect(await actionsOf(admin, `object=${encodeURIComponent(spelling)}`)).toEqual(['share.put']);
  }
});

test('audit events of a company are filtered by person, action, object and period, and are read page by page', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const pid = await addProcess(admin);
  const key = await admin.must('POST', `/processes/${pid}/keys`, { identifier: 'erp' });
  // A period includes every event of its first millisecond, and the clock may still show the millisecond of the event
  // of the key, so the period begins one millisecond later.
  const [keyAdded] = (await read(admin)).events;
  const afterKey = new Date(Date.parse(String(keyAdded?.at)) + 1).toISOString();
  await waitUntil('the clock has passed the event of the key', () => Date.now() >= Date.parse(afterKey));
  await addEnvironment(member);
  await addEnvironment(member);
  expect(await actionsOf(admin, `person=${member.id}`)).toEqual(['environment.add', 'environment.add']);
  expect(await actionsOf(admin, 'action=process.add,key.add')).toEqual(['key.add', 'process.add']);
  expect(await actionsOf(admin, `object=${pid}`)).toEqual(['key.add', 'process.add']);
  expect(await actionsOf(admin, `object=${String(key.id)}`)).toEqual(['key.add']);
  expect(await actionsOf(admin, `object=${encodeURIComponent('À vista <b>')}`)).toEqual([]);
  expect(await actionsOf(admin, `from=${afterKey}`)).toHaveLength(2);
  expect(await actionsOf(admin, 'from=2040-01-01T00:00:00Z')).toEqual([]);
  expect(await actionsOf(admin, 'to=2020-01-01T00:00:00Z')).toEqual([]);
  const first = await read(admin, 'limit=3');
  expect(first.events).toHaveLength(3);
  const second = await read(admin, `limit=3&before=${String(first.older)}`);
  expect([second.events.map(({ action }) => action), second.older]).toEqual([['process.add'], undefined]);
  for (const query of ['action=x', 'person=x', 'from=today', 'before=1', 'limit=0', 'company=x', 'object=']) {
    expect(await admin.refusal('GET', `/company/audit?${query}`)).toMatchObject({ error: '400 BAD_REQUEST' });
  }
});

test('a page of the audit trail has about 1 MB, and with filters it searches 5,000 events and has the cursor of the next page', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const { companyID } = admin;
  const detail = { name: 'n'.repeat(1_900) };
  await record([{ action: 'plan.add', objectID: 'rare', companyID }]);
  await record(Array.from({ length: 500 }, () => ({ action: 'vault.put', objectID: 'k', companyID, detail })));
  const large = await read(admin, 'limit=500');
  expect(large.events.length).toBeLessThan(450);
  expect(large.older).toBe(large.events.at(-1)?.id);
  await world.store.write(
    `INSERT INTO management_event (event_id, company_id, action, object_id, detail, created_at)
       SELECT CONCAT('ffffffff-ffff-7fff-8fff-', LPAD(seq, 12, '0')), ?, 'vault.put', 'k', '{}', UTC_TIMESTAMP(3)
         FROM seq_1_to_5000`,
    [companyID],
  );
  const statements = await recordStatements(() => newestEvents(world.store, companyID, { limit: 50 }));
  expect(await findLargeReads(world.store, statements, 100)).toEqual([]);
  const none = await read(admin, 'object=rare');
  expect([none.events, none.older]).toEqual([[], 'ffffffff-ffff-7fff-8fff-000000000001']);
  expect((await read(admin, `object=rare&before=${String(none.older)}`)).events).toHaveLength(1);
});

test('a refused or failed action leaves no audit event, and an action whose audit event cannot be written does not happen', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  await admin.refusal('PATCH', `/accounts/${admin.id}`, { blocked: true });
  await admin.refusal('DELETE', `/credentials/${uuid()}`);
  await admin.refusal('DELETE', '/vault/NONE');
  expect(await actionsOf(admin)).toEqual([]);
  await world.store.write('ALTER TABLE management_event RENAME TO management_event_away');
  try {
    expect(await admin.refusal('PUT', '/vault/KEY', { value: 'secret' })).toMatchObject({ error: '500 INTERNAL' });
  } finally {
    await world.store.write('ALTER TABLE management_event_away RENAME TO management_event');
  }
  expect(await admin.must('GET', '/vault')).toEqual({ keys: [] });
  await admin.must('PUT', '/vault/KEY', { value: 'tell nobody' });
  const { events } = await read(admin);
  expect(events).toMatchObject([{ action: 'vault.put', object: 'KEY' }]);
  expect(JSON.stringify(events)).not.toContain('tell nobody');
});
