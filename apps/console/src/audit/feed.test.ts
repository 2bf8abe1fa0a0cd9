import { FEED_LAG_SECONDS } from '@batuta/audit';
import type { AuditFeedEvent } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { v4, v7 as uuid } from 'uuid';
import { findLargeReads, recordStatements } from '../../../../test/support/query-plans';
import { addProcess } from '../../test/processes';
import {
  asRecord,
  createWorld,
  listOf,
  requireText,
  type ConsoleCaller,
  type ConsoleWorld,
  type TestPerson,
} from '../../test/world';
import { deleteManagementEvents, recordDeletedProcesses } from './audit-retention.repository';
import { MIN_EVENT_ID } from './management-events.repository';
import { readManagementFeed } from './management-feed.repository';

let world: ConsoleWorld;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.close());

const OLD_MS = (FEED_LAG_SECONDS + 60) * 1_000;
const DAY_MS = 86_400_000;

let added = 0;
/** Adds an event of management that is `ageMs` old by its id and its time; returns its id. */
async function addEvent(store: Store, companyID: string | null, object: string, ageMs = OLD_MS, accountID?: string) {
  // Each event gets its own millisecond, because ids of the same millisecond have no order.
  const id = uuid({ msecs: Date.now() - ageMs + (added += 1) });
  await store.write(
    `INSERT INTO management_event (event_id, company_id, account_id, address, action, object_id, detail, created_at)
       VALUES (?, ?, ?, '203.0.113.9', 'vault.put', ?, '{}', ?)`,
    [id, companyID, accountID ?? null, object, new Date(Date.now() - ageMs)],
  );
  return id;
}

function addInstanceEvent(companyID: string, action: string, ageMs = OLD_MS): AuditFeedEvent {
  const event = {
    id: (world.fakeExecution.feed.at(-1)?.id ?? 0) + 1,
    at: new Date(Date.now() - ageMs).toISOString(),
    action,
    processID: uuid(),
    companyID,
    instanceID: uuid(),
    executor: 'erp',
    accountID: null,
    detail: {},
  };
  world.fakeExecution.feed.push(event);
  return event;
}

async function readPage(reader: ConsoleCaller, after: string | undefined, limit = 100, path = '/company/audit/feed') {
  const page = await reader.must('GET', `${path}?limit=${limit}${after === undefined ? '' : `&after=${after}`}`);
  return { events: listOf(page, 'events'), next: requireText(page.next), more: page.more === true, page };
}

/** Polls until there are no more events. */
async function readAll(reader: ConsoleCaller, limit: number, begin?: string) {
  const events: Record<string, unknown>[] = [];
  for (let after = begin; ;) {
    const page = await readPage(reader, after, limit);
    events.push(...page.events);
    after = page.next;
    if (!page.more) return { events, next: after };
  }
}

test('a reader of the audit feed gets an event of management that commits after a later one exactly once', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  let commit = () => {};
  const held = new Promise<void>((resolve) => (commit = resolve));
  let inserted: (id: string) => void = () => {};
  const early = new Promise<string>((resolve) => (inserted = resolve));
  const late = world.store.transaction(async (tx) => {
    inserted(await addEvent(tx, admin.companyID, 'late', 1_000));
    await held;
  });
  const lateID = await early;
  const nextID = await addEvent(world.store, admin.companyID, 'next', 0);
  const before = await readAll(admin, 10);
  commit();
  await late;
  const times = { [lateID]: OLD_MS + 1_000, [nextID]: OLD_MS };
  for (const [id, ageMs] of Object.entries(times)) {
    await world.store.write('UPDATE management_event SET event_id = ? WHERE event_id = ?', [
      uuid({ msecs: Date.now() - ageMs }),
      id,
    ]);
  }
  const after = await readAll(admin, 10, before.next);
  expect([...before.events, ...after.events].map(({ object }) => object)).toEqual(['late', 'next']);
});

test('the audit feed has each event of management and of instances once and oldest first, whatever the page size', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const stranger = await world.addPerson({ role: 'administrator' });
  for (let n = 0; n < 12; n += 1) {
    const ageMs = OLD_MS + (12 - n) * 1_000;
    if (n % 3 === 0) await addEvent(world.store, admin.companyID, `e${n}`, ageMs, admin.id);
    else addInstanceEvent(admin.companyID, `e${n}`, ageMs);
    await addEvent(world.store, stranger.companyID, 'foreign', ageMs);
  }
  const expected = Array.from({ length: 12 }, (_, n) => `e${n}`);
  for (const limit of [1, 2, 5, 12, 500]) {
    const { events, next } = await readAll(admin, limit);
    expect(events.map(({ source, object, action }) => (source === 'management' ? object : action))).toEqual(expected);
    const empty = await readPage(admin, next);
    expect(empty.page).toEqual({ events: [], next, more: false, lagSeconds: FEED_LAG_SECONDS });
  }
  const { events } = await readAll(admin, 2);
  const [ofManagement, ofInstance] = events;
  expect(ofManagement).toEqual({
    source: 'management',
    id: expect.any(String),
    at: expect.any(String),
    action: 'vault.put',
    companyID: admin.companyID,
    processID: null,
    instanceID: null,
    object: 'e0',
    by: {
      kind: 'person',
      accountID: admin.id,
      name: expect.any(String),
      email: admin.email,
      credentialID: null,
      label: '',
    },
    executor: null,
    accountID: null,
    address: '203.0.113.9',
    requestID: null,
    detail: {},
  });
  expect(ofInstance).toMatchObject({
    source: 'instance',
    id: expect.any(String),
    object: null,
    by: null,
    executor: 'erp',
  });
});

test('the audit feed keeps the order of both sources where the events of one of them do not fit into a page', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  // 30 events of 60 KB exceed the bytes of a page.
  const objects = Array.from({ length: 30 }, (_, n) => `e${n}`);
  for (const [n, object] of objects.entries()) {
    const id = await addEvent(world.store, admin.companyID, object, OLD_MS + (60 - n) * 1_000);
    const detail = JSON.stringify({ name: 'n'.repeat(60_000) });
    await world.store.write('UPDATE management_event SET detail = ? WHERE event_id = ?', [detail, id]);
  }
  addInstanceEvent(admin.companyID, 'last');
  const { events } = await readAll(admin, 100);
  expect(events.map(({ object, action }) => object ?? action)).toEqual([...objects, 'last']);
});

test('a first call of the audit feed that finds no events gives a cursor that reads what comes later', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const first = await readPage(admin, undefined);
  expect([first.events, first.next, first.more]).toEqual([[], '0.0', false]);
  await addEvent(world.store, admin.companyID, 'young', 0);
  expect((await readPage(admin, first.next)).events).toEqual([]);
  await addEvent(world.store, admin.companyID, 'old');
  expect((await readPage(admin, first.next)).events).toMatchObject([{ object: 'old' }]);
});

test('operators read the audit events of all companies and see which operator acted, which a company does not', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const operatorID = (
    await world.store.row<{ id: string }>('SELECT account_id AS id FROM account WHERE role = ? LIMIT 1', ['operator'])
  )?.id;
  const ids = [
    await addEvent(world.store, admin.companyID, 'by operator', OLD_MS, operatorID),
    await addEvent(world.store, null, 'a plan', OLD_MS, operatorID),
  ];
  const seen: Record<string, unknown>[] = [];
  for (let after: string | undefined; ;) {
    const page = await readPage(world.operator, after, 500, '/audit/feed');
    seen.push(...page.events.filter(({ id }) => ids.some((one) => one === id)));
    after = page.next;
    if (!page.more) break;
  }
  expect(seen).toMatchObject([
    { companyID: admin.companyID, by: { kind: 'operator', accountID: operatorID }, address: '203.0.113.9' },
    { companyID: null, object: 'a plan' },
  ]);
  expect((await readAll(admin, 10)).events).toMatchObject([
    { object: 'by operator', by: { kind: 'operator', accountID: null, email: '' }, address: null },
  ]);
  expect(world.fakeExecution.feedRequests.at(-1)).toMatchObject({ companyID: admin.companyID });
});

test('the audit feed refuses members, operators at the route of companies, administrators at that of operators, and every text that is no cursor', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const member = await world.addPerson({ companyID: admin.companyID });
  const refused: [ConsoleCaller, string][] = [
    [member, '/company/audit/feed'],
    [world.operator, '/company/audit/feed'],
    [member, '/audit/feed'],
    [admin, '/audit/feed'],
  ];
  for (const [person, path] of refused) {
    expect(await person.refusal('GET', path)).toMatchObject({ error: '403 FORBIDDEN' });
  }
  const bad = ['', '0', '1.1', '0.01', '0.-1', '0.1.2', v4(), `${v4()}.9999999999999999`, "0.1'--", '0.%00'];
  for (const after of bad) {
    const { error, message } = await admin.refusal('GET', `/company/audit/feed?after=${after}`);
    expect([error, message.startsWith('after: ')]).toEqual(['400 BAD_REQUEST', true]);
  }
  for (const query of ['limit=0', 'limit=501', 'company=x']) {
    const { error, message } = await admin.refusal('GET', `/company/audit/feed?${query}`);
    expect([error, message.split(':')[0]]).toEqual(['400 BAD_REQUEST', query.split('=')[0]]);
  }
});

test('a page of the audit feed reads no rows but those of its events', async () => {
  const companyID = uuid();
  await world.store.write(
    `INSERT INTO management_event (event_id, company_id, action, object_id, detail, created_at)
       SELECT CONCAT('00000000-0000-7000-8000-', LPAD(seq, 12, '0')), IF(seq % 2, ?, UUID()), 'vault.put', 'k', '{}', UTC_TIMESTAMP(3)
         FROM seq_1_to_5000`,
    [companyID],
  );
  await world.store.rows('ANALYZE TABLE management_event');
  for (const viewed of [companyID, null]) {
    const statements = await recordStatements(async () => {
      const page = await readManagementFeed(world.store, { companyID: viewed, after: MIN_EVENT_ID, limit: 20 });
      expect([page.rows.length, page.more]).toEqual([20, true]);
    });
    expect(await findLargeReads(world.store, statements, 25)).toEqual([]);
  }
  await world.store.write("DELETE FROM management_event WHERE event_id LIKE '00000000-%'");
});

test('audit events of management are deleted after the days of the plan of their company; those of plans stay', async () => {
  const [admin, other] = [
    await world.addPerson({ role: 'administrator' }),
    await world.addPerson({ role: 'administrator' }),
  ];
  const planID = uuid();
  await world.store.write(
    `INSERT INTO plan (plan_id, name, api_access, scheduling, monthly_credits, log_retention_days, requests_per_minute, audit_days, created_at)
       VALUES (?, ?, 1, 1, 1, 30, 600, 30, UTC_TIMESTAMP(3))`,
    [planID, planID],
  );
  await world.store.write('UPDATE company SET plan_id = ? WHERE company_id = ?', [planID, admin.companyID]);
  for (const companyID of [admin.companyID, other.companyID, null]) {
    await addEvent(world.store, companyID, 'old', 31 * DAY_MS);
    await addEvent(world.store, companyID, 'young', 29 * DAY_MS);
  }
  expect(await deleteManagementEvents(world.store)).toBe(1);
  expect(await deleteManagementEvents(world.store)).toBe(0);
  const left = async (person: TestPerson) => (await readAll(person, 10)).events.map(({ object }) => object);
  expect([await left(admin), await left(other)]).toEqual([['young'], ['old', 'young']]);
  const ofPlans = await world.store.rows(
    "SELECT 1 FROM management_event WHERE company_id IS NULL AND object_id = 'old'",
  );
  expect(ofPlans).toHaveLength(1);
});

test('the company of a deleted process stays known, also when the previous release deleted it', async () => {
  const admin = await world.addPerson({ role: 'administrator' });
  const [pid, earlier] = [await addProcess(admin), await addProcess(admin)];
  await admin.must('DELETE', `/processes/${pid}`);
  await admin.must('DELETE', `/processes/${earlier}`);
  const known = () =>
    world.store.rows('SELECT process_id FROM deleted_process WHERE company_id = ? ORDER BY process_id', [
      admin.companyID,
    ]);
  const both = [pid, earlier].toSorted().map((process_id) => ({ process_id }));
  expect(await known()).toEqual(both);
  await world.store.write('DELETE FROM deleted_process WHERE process_id = ?', [earlier]);
  await recordDeletedProcesses(world.store);
  expect(await known()).toEqual(both);
  expect(asRecord((await readPage(admin, undefined)).page).more).toBe(false);
});
