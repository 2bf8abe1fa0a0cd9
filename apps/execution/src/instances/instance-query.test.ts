import { execution } from '@batuta/contracts';
import { v7 as uuid } from 'uuid';
import { claimOnce, end, grant, report, runningInstance, viewerOf } from '../../test/instances';
import { connect, register, startRequest, startWorld, type Registered, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld(2);
});
afterAll(() => world?.close());

/** Returns the id of an instance that began at the given time and ended a day later. */
async function endedInstance(at: Registered, startedAt: string): Promise<string> {
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  const start = new Date(startedAt);
  await world.store.write(
    "UPDATE instance SET status = 'success', started_at = ?, history_at = ?, finished_at = ? WHERE instance_id = ?",
    [start, start, new Date(start.getTime() + 86_400_000), instanceID],
  );
  return instanceID;
}

test('the history has the instances that began within whole days of São Paulo, first and last day included', async () => {
  const at = await register(world.store);
  await endedInstance(at, '2026-02-27T02:59:59.999Z');
  const first = await endedInstance(at, '2026-02-27T03:00:00.000Z');
  const last = await endedInstance(at, '2026-03-01T02:59:59.999Z');
  await endedInstance(at, '2026-03-01T03:00:00.000Z');
  const range = { processID: at.processID, from: '2026-02-27', to: '2026-02-28' };
  const { executions } = await world.rpc.call(execution.history, { ...range, limit: 500 });
  expect(executions.map(({ instanceID }) => instanceID)).toEqual([last, first]);
  const newest = await world.rpc.call(execution.history, { ...range, limit: 1 });
  expect(newest.executions.map(({ instanceID }) => instanceID)).toEqual([last]);
});

test('a log is read as its newest lines in chronological order, at most 1000', async () => {
  const at = await register(world.store);
  const instanceID = await endedInstance(at, '2026-02-27T03:00:00.000Z');
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
  const at = await runningInstance(world);
  await report(world, at, 1, end('FINALIZED'));
  const range = { processID: at.processID, from: '2000-01-01', to: '2100-01-01', limit: 10 };
  await world.rpc.call(execution.start, startRequest(at));
  const debug = startRequest(at);
  await world.rpc.call(execution.start, { ...debug, trigger: { ...debug.trigger, kind: 'debug' } });
  for (const work of await claimOnce(world, at, 5)) {
    await grant(world, { ...at, work });
    await report(world, { ...at, work }, 1, end('ERROR'));
  }
  const { executions } = await world.rpc.call(execution.history, range);
  expect(executions.map(({ status }) => status)).toEqual(['error', 'success']);
  expect((await world.rpc.call(execution.history, { ...range, limit: 1 })).executions).toHaveLength(1);
  expect((await world.rpc.call(execution.history, { ...range, to: '2001-01-01' })).executions).toEqual([]);
});

test('a queued instance shows its position in the queue and the reason for which it waits', async () => {
  const at = await register(world.store);
  const first = await world.rpc.call(execution.start, startRequest(at));
  const second = await world.rpc.call(execution.start, startRequest(at));
  const queueOf = async ({ instanceID }: { instanceID: string }) =>
    Object(await world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(at) })).queue;
  expect(await queueOf(first)).toEqual({ position: 1, reason: 'AGENT_OFFLINE' });
  await connect(world.store, at.environmentID);
  expect(await queueOf(second)).toEqual({ position: 2, reason: 'AGENT_BUSY' });
});

test('the news of an instance are its body and the lines after a line number, oldest first', async () => {
  const at = await runningInstance(world);
  await report(world, at, 1);
  await report(world, at, 2);
  const { instanceID } = at.work;
  const news = (after: number, limit = 10) =>
    world.rpc.call(execution.news, { instanceID, viewer: viewerOf(at), after, limit });
  expect((await news(0, 1)).lines).toMatchObject([{ line: 1, message: 'line of 1', stepID: 'a' }]);
  expect((await news(1)).lines).toMatchObject([{ line: 2, message: 'line of 2' }]);
  expect(await news(2)).toMatchObject({ body: { status: 'running' }, lines: [] });
});

test('the instances and audit events of a process can be read of one starter only', async () => {
  const at = await register(world.store);
  const [bia, stranger] = [uuid(), uuid()];
  const startBy = async (accountID: string | null, kind: 'manual' | 'webhook') => {
    const trigger = { kind, accountID, userName: 'x', executor: 'x' };
    return (await world.rpc.call(execution.start, startRequest(at, { trigger }))).instanceID;
  };
  const byOwner = await startBy(at.ownerID, 'manual');
  const byBia = await startBy(bia, 'manual');
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
  const at = await runningInstance(world);
  const request = { instanceID: at.work.instanceID, viewer: { accountID: uuid() } };
  const notFound = { code: 'INSTANCE_NOT_FOUND' };
  await expect(world.rpc.call(execution.instance, request)).rejects.toMatchObject(notFound);
  await expect(world.rpc.call(execution.logs, { ...request, limit: 1 })).rejects.toMatchObject(notFound);
  const stop = world.rpc.call(execution.control, { ...request, action: 'stop', executor: 'x' });
  await expect(stop).rejects.toMatchObject(notFound);
});
