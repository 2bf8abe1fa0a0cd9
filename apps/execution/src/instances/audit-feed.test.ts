import { FEED_LAG_SECONDS } from '@batuta/audit';
import { execution, type AuditFeedEvent } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { v7 as uuid } from 'uuid';
import { findLargeReads, recordStatements } from '../../../../test/support/query-plans';
import { registerProcess, startWorld, type ExecutionWorld } from '../../test/world';
import { auditFeed } from './audit-feed.repository';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

/** Adds an event that is `seconds` older than the lag of the feed, or younger if negative. */
async function addEvent(store: Store, processID: string, action: string, seconds = 60): Promise<number> {
  const { insertId } = await store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       VALUES (?, NULL, NULL, ?, 'erp', '{"n":1}', UTC_TIMESTAMP(3) - INTERVAL ? SECOND)`,
    [processID, action, FEED_LAG_SECONDS + seconds],
  );
  return insertId;
}

const lastID = async () =>
  (await world.store.row<{ id: number }>('SELECT COALESCE(MAX(event_id), 0) AS id FROM audit_event'))?.id ?? 0;
const actionsOf = (events: AuditFeedEvent[]) => events.map(({ action }) => action);

/** All events of the feed after a number, read page by page, as a poller does. */
async function readAll(after: number, limit: number, companyID?: string) {
  const events: AuditFeedEvent[] = [];
  const pages: number[] = [];
  for (let cursor = after, more = true; more;) {
    const page = await world.rpc.call(execution.auditFeed, { companyID, after: cursor, limit });
    events.push(...page.events);
    pages.push(page.events.length);
    cursor = page.events.at(-1)?.id ?? cursor;
    more = page.more;
  }
  return { actions: actionsOf(events), events, pages, after: events.at(-1)?.id ?? after };
}

const registerTwoProcesses = async () => {
  const first = await registerProcess(world.store);
  const secondID = uuid();
  await world.store.write(
    `INSERT INTO process (process_id, account_id, company_id, process_name, created_at) VALUES (?, ?, ?, 'Q', UTC_TIMESTAMP(3))`,
    [secondID, first.ownerID, first.companyID],
  );
  return { ...first, secondID };
};

test('an event that commits after a later one is neither lost nor doubled', async () => {
  const at = await registerProcess(world.store);
  const start = await lastID();
  let commit = () => {};
  const held = new Promise<void>((resolve) => (commit = resolve));
  let inserted: (id: number) => void = () => {};
  const early = new Promise<number>((resolve) => (inserted = resolve));
  const late = world.store.transaction(async (tx) => {
    inserted(await addEvent(tx, at.processID, 'late', -FEED_LAG_SECONDS));
    await held;
  });
  const lateID = await early;
  const nextID = await addEvent(world.store, at.processID, 'next', -FEED_LAG_SECONDS);
  expect(nextID).toBeGreaterThan(lateID);
  const before = await Promise.all([readAll(start, 10), readAll(start, 10, at.companyID)]);
  commit();
  await late;
  await world.store.write('UPDATE audit_event SET created_at = created_at - INTERVAL ? SECOND WHERE event_id IN (?)', [
    2 * FEED_LAG_SECONDS,
    [lateID, nextID],
  ]);
  const [all, own] = [await readAll(before[0].after, 10), await readAll(before[1].after, 10, at.companyID)];
  expect([...before[0].actions, ...all.actions]).toEqual(['late', 'next']);
  expect([...before[1].actions, ...own.actions]).toEqual(['late', 'next']);
});

test('events younger than the lag are not in the feed yet, except those in front of an event that is older than the lag', async () => {
  const at = await registerProcess(world.store);
  const start = await lastID();
  await addEvent(world.store, at.processID, 'old');
  await addEvent(world.store, at.processID, 'young', -30);
  expect((await readAll(start, 10)).actions).toEqual(['old']);
  await addEvent(world.store, at.processID, 'older');
  await addEvent(world.store, at.processID, 'youngest', -30);
  for (const companyID of [undefined, at.companyID]) {
    const page = await world.rpc.call(execution.auditFeed, { companyID, after: start, limit: 10 });
    expect([actionsOf(page.events), page.more]).toEqual([['old', 'young', 'older'], false]);
  }
  const end = await readAll(start, 10, at.companyID);
  expect(await world.rpc.call(execution.auditFeed, { after: end.after, limit: 10 })).toEqual({
    events: [],
    more: false,
  });
});

test('a company reads the events of all its processes in their order and of no other company, whatever the page size', async () => {
  const at = await registerTwoProcesses();
  const other = await registerProcess(world.store);
  const start = await lastID();
  const expected: string[] = [];
  for (let n = 0; n < 40; n += 1) {
    await addEvent(world.store, other.processID, 'other');
    // One process has most of the events, so that its part of a page ends first.
    await addEvent(world.store, n % 10 === 9 ? at.secondID : at.processID, `e${n}`);
    expected.push(`e${n}`);
  }
  for (const limit of [1, 3, 40, 500]) {
    const { actions, pages } = await readAll(start, limit, at.companyID);
    expect(actions).toEqual(expected);
    expect(Math.max(...pages)).toBeLessThanOrEqual(limit);
    expect((await readAll(start, limit)).actions).toEqual(expected.flatMap((action) => ['other', action]));
  }
  const [first] = (await readAll(start, 1, at.companyID)).events;
  expect(first).toEqual({
    id: expect.any(Number),
    at: expect.any(String),
    action: 'e0',
    processID: at.processID,
    companyID: at.companyID,
    instanceID: null,
    executor: 'erp',
    accountID: null,
    detail: { n: 1 },
  });
  expect((await readAll(start, 10, uuid())).events).toEqual([]);
});

test('a company with more processes than a statement takes reads all of their events in order', async () => {
  const at = await registerProcess(world.store);
  const start = await lastID();
  await world.store.write(
    `INSERT INTO process (process_id, account_id, company_id, process_name, created_at)
       SELECT UUID(), ?, ?, 'P', UTC_TIMESTAMP(3) FROM seq_1_to_600`,
    [at.ownerID, at.companyID],
  );
  await world.store.write(
    `INSERT INTO deleted_process (process_id, company_id, deleted_at)
       SELECT UUID(), ?, UTC_TIMESTAMP(3) FROM seq_1_to_600`,
    [at.companyID],
  );
  for (const table of ['process', 'deleted_process', 'process']) {
    await world.store.write(
      `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         SELECT process_id, NULL, NULL, 'x', 'e', '{}', UTC_TIMESTAMP(3) - INTERVAL 1 HOUR FROM ${table} WHERE company_id = ?`,
      [at.companyID],
    );
  }
  const all = await readAll(start, 500);
  expect(all.events).toHaveLength(1_802);
  const ids = (events: AuditFeedEvent[]) => events.map(({ id }) => id);
  expect(ids((await readAll(start, 300, at.companyID)).events)).toEqual(ids(all.events));
});

test('the events of a deleted process stay in the feed of its company', async () => {
  const at = await registerTwoProcesses();
  const start = await lastID();
  await addEvent(world.store, at.secondID, 'kept');
  await world.store.transaction(async (tx) => {
    await tx.write('INSERT INTO deleted_process (process_id, company_id, deleted_at) VALUES (?, ?, UTC_TIMESTAMP(3))', [
      at.secondID,
      at.companyID,
    ]);
    await tx.write('DELETE FROM process WHERE process_id = ?', [at.secondID]);
  });
  for (const companyID of [undefined, at.companyID]) {
    const { events } = await readAll(start, 10, companyID);
    expect(events).toMatchObject([{ action: 'kept', processID: at.secondID, companyID: at.companyID }]);
  }
});

test('a page reads no more events than it may show and one of each process, whatever came before and comes after', async () => {
  const at = await registerTwoProcesses();
  const fill = (processID: string) =>
    world.store.write(
      `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
         SELECT ?, NULL, NULL, 'start', 'e', '{}', UTC_TIMESTAMP(3) - INTERVAL 1 HOUR FROM seq_1_to_3000`,
      [processID],
    );
  await fill(at.processID);
  await fill(at.secondID);
  const middle = await addEvent(world.store, at.processID, 'middle');
  await fill(at.secondID);
  await fill(at.processID);
  await world.store.rows('ANALYZE TABLE audit_event, process, deleted_process');
  for (const companyID of [undefined, at.companyID]) {
    const read = async (after: number) => auditFeed(world.store, { companyID, after, limit: 20 });
    const statements = await recordStatements(async () => {
      expect((await read(middle)).more).toBe(true);
    });
    expect(await findLargeReads(world.store, statements, 50)).toEqual([]);
    const atEnd = await recordStatements(async () => expect((await read(await lastID())).events).toEqual([]));
    expect(await findLargeReads(world.store, atEnd, 50)).toEqual([]);
  }
});

test('a page of the feed has about 1 MB of events', async () => {
  const at = await registerProcess(world.store);
  const start = await lastID();
  await world.store.write(
    `INSERT INTO audit_event (process_id, instance_id, account_id, action, executor, detail, created_at)
       SELECT ?, NULL, NULL, CONCAT('e', seq), 'e', CONCAT('{"v":"', REPEAT('x', 60000), '"}'), UTC_TIMESTAMP(3) - INTERVAL 1 HOUR
         FROM seq_1_to_40`,
    [at.processID],
  );
  const { events, pages } = await readAll(start, 500, at.companyID);
  expect(events).toHaveLength(40);
  expect(pages).toEqual([17, 17, 6]);
});
