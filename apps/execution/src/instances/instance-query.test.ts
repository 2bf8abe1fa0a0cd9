import { execution, LAST_QUEUE_POSITION } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { recordStatements } from '../../../../test/support/query-plans';
import { claimOnce, endReport, requestGrant, sendReport, createRunningInstance, viewerOf } from '../../test/instances';
import {
  connectAgent,
  registerProcess,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

/** Returns the id of an instance that began at the given time and ended a day later. */
async function makeEndedInstance(at: TestProcess, startedAt: string): Promise<string> {
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  const start = new Date(startedAt);
  await world.store.write(
    "UPDATE instance SET status = 'success', started_at = ?, history_at = ?, finished_at = ? WHERE instance_id = ?",
    [start, start, new Date(start.getTime() + 86_400_000), instanceID],
  );
  return instanceID;
}

test('the history has the instances that began within whole days of São Paulo, first and last day included', async () => {
  const at = await registerProcess(world.store);
  await makeEndedInstance(at, '2026-02-27T02:59:59.999Z');
  const first = await makeEndedInstance(at, '2026-02-27T03:00:00.000Z');
  const last = await makeEndedInstance(at, '2026-03-01T02:59:59.999Z');
  await makeEndedInstance(at, '2026-03-01T03:00:00.000Z');
  const range = { processID: at.processID, from: '2026-02-27', to: '2026-02-28' };
  const { executions } = await world.rpc.call(execution.history, { ...range, limit: 500 });
  expect(executions.map(({ instanceID }) => instanceID)).toEqual([last, first]);
  const newest = await world.rpc.call(execution.history, { ...range, limit: 1 });
  expect(newest.executions.map(({ instanceID }) => instanceID)).toEqual([last]);
});

test('a history of every day that a request can name has all instances', async () => {
  const at = await registerProcess(world.store);
  const instanceID = await makeEndedInstance(at, '2026-02-27T12:00:00.000Z');
  const range = { processID: at.processID, from: '0000-01-01', to: '9999-12-31', limit: 500 };
  expect((await world.rpc.call(execution.history, range)).executions).toMatchObject([{ instanceID }]);
});

test('a history that exceeds the limit is read page by page, also through executions that began at the same time', async () => {
  const at = await registerProcess(world.store);
  const starts = ['2026-02-28T12:00:00.000Z', '2026-02-27T12:00:00.000Z', '2026-02-27T12:00:00.000Z'];
  for (const startedAt of [...starts, '2026-02-26T12:00:00.000Z', '2026-02-20T12:00:00.000Z'])
    await makeEndedInstance(at, startedAt);
  const range = { processID: at.processID, from: '2026-02-21', to: '2026-02-28' };
  const whole = await world.rpc.call(execution.history, { ...range, limit: 4 });
  expect([whole.executions.length, whole.older]).toEqual([4, undefined]);
  const pages: string[][] = [];
  let page: { before: string } | undefined;
  do {
    const { executions, older } = await world.rpc.call(execution.history, { ...range, limit: 2, ...page });
    pages.push(executions.map(({ instanceID }) => instanceID));
    page = older;
  } while (page);
  expect(pages.map(({ length }) => length)).toEqual([2, 2]);
  expect(pages.flat()).toEqual(whole.executions.map(({ instanceID }) => instanceID));
});

test('the page after an instance that the history does not have, such as one that retention has deleted, is empty', async () => {
  const at = await registerProcess(world.store);
  const range = { processID: at.processID, from: '2026-02-27', to: '2026-02-28', limit: 1 };
  await makeEndedInstance(at, '2026-02-27T12:00:00.000Z');
  const elsewhere = await makeEndedInstance(await registerProcess(world.store), '2026-02-27T12:00:00.000Z');
  const { instanceID: queued } = await world.rpc.call(execution.start, startRequest(at));
  for (const before of [elsewhere, queued, uuid()]) {
    expect(await world.rpc.call(execution.history, { ...range, before })).toEqual({ executions: [] });
  }
});

test('a page of the history goes on behind an instance that retention has deleted, with those that began earlier and ended later', async () => {
  const at = await registerProcess(world.store);
  const earlier = await makeEndedInstance(at, '2026-02-27T12:00:00.000Z');
  const deleted = await makeEndedInstance(at, '2026-02-28T12:00:00.000Z');
  const range = { processID: at.processID, from: '2026-02-27', to: '2026-02-28', limit: 1 };
  const { executions, older } = await world.rpc.call(execution.history, range);
  expect(older).toEqual({ before: deleted });
  await world.store.write('DELETE FROM instance WHERE instance_id = ?', [deleted]);
  const beforeTime = executions.map(({ startedAt }) => startedAt).at(-1);
  const next = await world.rpc.call(execution.history, { ...range, ...older, beforeTime });
  expect(next.executions.map(({ instanceID }) => instanceID)).toEqual([earlier]);
});

test('a log is read as its newest lines in chronological order, at most 1000', async () => {
  const at = await registerProcess(world.store);
  const instanceID = await makeEndedInstance(at, '2026-02-27T03:00:00.000Z');
  const time = (line: number) => new Date(Date.UTC(2026, 1, 27, 3, 0, line));
  await world.store.write(
    'INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?',
    [Array.from({ length: 1_005 }, (_, n) => [instanceID, n + 1, time(n + 1), 'INFO', `line ${n + 1}`, 'a', null])],
  );
  const read = async (limit: number, after?: number) => {
    const request = { instanceID, viewer: viewerOf(at), limit, after };
    return (await world.rpc.call(execution.logs, request)).logs;
  };
  const logs = await read(5_000);
  expect(logs.map(({ message }) => message)).toEqual(Array.from({ length: 1_000 }, (_, n) => `line ${n + 6}`));
  expect(logs[0]?.timestamp).toBe(time(6).toISOString());
  expect((await read(2)).map(({ message }) => message)).toEqual(['line 1004', 'line 1005']);
  expect((await read(10, 1_003)).map(({ message }) => message)).toEqual(['line 1004', 'line 1005']);
});

test('the history holds ended instances, newest first, without debug runs', async () => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1, endReport('FINALIZED'));
  const range = { processID: at.processID, from: '2000-01-01', to: '2100-01-01', limit: 10 };
  await world.rpc.call(execution.start, startRequest(at));
  const debug = startRequest(at);
  await world.rpc.call(execution.start, { ...debug, trigger: { ...debug.trigger, kind: 'debug' } });
  for (const work of await claimOnce(world, at, 5)) {
    await requestGrant(world, { ...at, work });
    await sendReport(world, { ...at, work }, 1, endReport('ERROR'));
  }
  const { executions } = await world.rpc.call(execution.history, range);
  expect(executions.map(({ status }) => status)).toEqual(['error', 'success']);
  expect((await world.rpc.call(execution.history, { ...range, limit: 1 })).executions).toHaveLength(1);
  expect((await world.rpc.call(execution.history, { ...range, to: '2001-01-01' })).executions).toEqual([]);
});

test('a queued instance shows its position in the queue and the reason for which it waits', async () => {
  const at = await registerProcess(world.store);
  const first = await world.rpc.call(execution.start, startRequest(at));
  const second = await world.rpc.call(execution.start, startRequest(at));
  const queueOf = async ({ instanceID }: { instanceID: string }) =>
    Object(await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(at) })).queue;
  expect(await queueOf(first)).toEqual({ position: 1, reason: 'AGENT_OFFLINE' });
  await connectAgent(world.store, at.environmentID);
  expect(await queueOf(second)).toEqual({ position: 2, reason: 'AGENT_BUSY' });
});

test('the position of a queued instance counts at most a thousand others, and none when the follower knows it', async () => {
  const at = await registerProcess(world.store);
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  const columns = await world.store.rows<{ name: string }>(
    `SELECT column_name AS name FROM information_schema.columns
      WHERE table_schema = DATABASE() AND table_name = 'instance' AND COALESCE(generation_expression, '') = ''`,
  );
  const names = columns.map(({ name }) => name);
  const fresh: Record<string, string> = { instance_id: 'UUID()', accepted_at: 'accepted_at - INTERVAL 1 SECOND' };
  await world.store.write(
    `INSERT INTO instance (${names.join(', ')}) SELECT ${names.map((name) => fresh[name] ?? name).join(', ')}
       FROM instance, seq_1_to_1200 WHERE instance_id = ?`,
    [instanceID],
  );
  const query = { instanceID, viewer: viewerOf(at) };
  const queue = { position: LAST_QUEUE_POSITION, reason: 'AGENT_OFFLINE' };
  const statements = await recordStatements(async () => {
    expect(await world.rpc.call(execution.instance, query)).toMatchObject({ queue });
  });
  expect(statements.filter(({ sql }) => sql.includes('AS ahead'))).toHaveLength(1);
  const news = { ...query, after: 0, limit: 0, knownPosition: 7 };
  const further = await recordStatements(async () => {
    const { body } = await world.rpc.call(execution.news, news);
    expect(body).toMatchObject({ queue: { ...queue, position: 7 } });
  });
  expect(further.filter(({ sql }) => sql.includes('AS ahead'))).toEqual([]);
});

test('the news of an instance contain its body and the lines after a line number, oldest first', async () => {
  const at = await createRunningInstance(world);
  await sendReport(world, at, 1);
  await sendReport(world, at, 2);
  const { instanceID } = at.work;
  const news = (after: number, limit = 10) =>
    world.rpc.call(execution.news, { instanceID, viewer: viewerOf(at), after, limit });
  expect((await news(0, 1)).lines).toMatchObject([{ line: 1, message: 'line of 1', stepID: 'a' }]);
  expect((await news(1)).lines).toMatchObject([{ line: 2, message: 'line of 2' }]);
  expect(await news(2)).toMatchObject({ body: { status: 'running' }, lines: [] });
});

test('the instances and audit events of a process can be limited to those of one starter', async () => {
  const at = await registerProcess(world.store);
  const [bia, stranger] = [uuid(), uuid()];
  const startBy = async (accountID: string | null, kind: 'api' | 'webhook') => {
    const trigger = { kind, accountID, userName: 'x', executor: 'x' };
    return (await world.rpc.call(execution.start, startRequest(at, { trigger }))).instanceID;
  };
  const byOwner = await startBy(at.ownerID, 'api');
  const byBia = await startBy(bia, 'api');
  const byWebhook = await startBy(null, 'webhook');
  const stop = { action: 'stop', viewer: viewerOf(at), executor: 'x' } as const;
  for (const instanceID of [byOwner, byBia, byWebhook]) {
    await world.rpc.call(execution.control, { instanceID, ...stop });
  }
  const read = { processID: at.processID, limit: 100 };
  const idsOf = async (startedBy?: string) => {
    const { instances } = await world.rpc.call(execution.instances, { ...read, startedBy });
    return instances.map(({ instanceID }) => instanceID);
  };
  expect(await idsOf()).toEqual([byWebhook, byBia, byOwner]);
  expect([await idsOf(bia), await idsOf(stranger)]).toEqual([[byBia], []]);
  const auditOf = async (startedBy?: string) => {
    const { events } = await world.rpc.call(execution.audit, { ...read, startedBy });
    return events.map(({ instanceID, action }) => [instanceID, action]);
  };
  expect(await auditOf()).toHaveLength(9);
  expect(await auditOf(bia)).toEqual(['end', 'stop', 'start'].map((action) => [byBia, action]));
  expect(await auditOf(stranger)).toEqual([]);
});

test('an instance is visible to its starter and the process owner, and to nobody else', async () => {
  const at = await createRunningInstance(world);
  const request = { instanceID: at.work.instanceID, viewer: viewerOf(await registerProcess(world.store)) };
  const notFound = { code: 'INSTANCE_NOT_FOUND', message: 'instanceID: no such instance' };
  await expect(world.rpc.call(execution.instance, request)).rejects.toMatchObject(notFound);
  await expect(world.rpc.call(execution.logs, { ...request, limit: 1 })).rejects.toMatchObject(notFound);
  const stop = world.rpc.call(execution.control, { ...request, action: 'stop', executor: 'x' });
  await expect(stop).rejects.toMatchObject(notFound);
});

test('the instances and the audit trail of a process are read in pages of limited bytes, newest first', async () => {
  const at = await registerProcess(world.store);
  const ids = [];
  for (let n = 0; n < 5; n += 1) ids.unshift(await makeEndedInstance(at, '2026-02-27T03:00:00.000Z'));
  await world.store.write('UPDATE instance SET error_message = REPEAT(?, 60000) WHERE process_id = ?', [
    '\u0001',
    at.processID,
  ]);
  await world.store.write(
    `INSERT INTO instance (${COPIED_COLUMNS}, instance_id, accepted_at)
       SELECT ${COPIED_COLUMNS}, CONCAT('01920000-0000-7000-8000-', LPAD(seq, 12, '0')), '2026-01-01'
         FROM instance, seq_1_to_80 WHERE instance_id = ?`,
    [ids[0]],
  );
  const read = async (before?: string) =>
    world.rpc.call(execution.instances, { processID: at.processID, limit: 500, before });
  const pages = [await read()];
  for (let older = pages[0]?.older; older; older = pages.at(-1)?.older) pages.push(await read(older.before));
  const all = pages.flatMap(({ instances }) => instances.map(({ instanceID }) => instanceID));
  expect([pages.length > 4, all.slice(0, 5), all.length, new Set(all).size]).toEqual([true, ids, 85, 85]);
  expect(await read(uuid())).toEqual({ instances: [] });

  const [first] = pages;
  await world.store.write('DELETE FROM instance WHERE instance_id = ?', [first?.older?.before]);
  const page = { processID: at.processID, limit: 500, before: first?.older?.before, beforeTime: first?.olderTime };
  expect(await world.rpc.call(execution.instances, page)).toEqual(pages[1]);

  await world.store.write(
    `INSERT INTO audit_event (process_id, action, executor, detail, created_at)
       SELECT ?, 'start', 'x', CONCAT('{"n":', seq, ',"text":"', REPEAT('x', 60000), '"}'), UTC_TIMESTAMP(3) FROM seq_1_to_40`,
    [at.processID],
  );
  const trail = (before?: number) => world.rpc.call(execution.audit, { processID: at.processID, limit: 30, before });
  const newest = await trail();
  const next = await trail(newest.older?.before);
  const numbers = [newest, next].flatMap(({ events }) => events.map(({ detail }) => detail.n));
  expect(numbers.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, index) => 40 - index));
  expect([newest.events.length, next.older]).toEqual([17, expect.anything()]);
});

/** The columns of an instance besides its id and its time. */
const COPIED_COLUMNS = `process_id, process_name, owner_account_id, company_id, environment_id, version_id, version, trigger_kind, user_name,
  executor, request_id, status, accepted_as, error_message`;
