import { execution } from '@batuta/contracts';
import { register, startRequest, startWorld, type Registered, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

async function ended(at: Registered, startedAt: string): Promise<string> {
  const { instanceID } = await world.rpc.call(execution.start, startRequest(at));
  const start = new Date(startedAt);
  await world.store.write(
    "UPDATE instance SET status = 'success', started_at = ?, history_at = ?, finished_at = ? WHERE instance_id = ?",
    [start, start, new Date(start.getTime() + 86_400_000), instanceID],
  );
  return instanceID;
}

test('history takes whole days of São Paulo, both ends included, by when an instance began', async () => {
  const at = await register(world.store);
  await ended(at, '2026-02-27T02:59:59.999Z');
  const first = await ended(at, '2026-02-27T03:00:00.000Z');
  const last = await ended(at, '2026-03-01T02:59:59.999Z');
  await ended(at, '2026-03-01T03:00:00.000Z');
  const range = { processID: at.processID, from: '2026-02-27', to: '2026-02-28' };
  const { executions } = await world.rpc.call(execution.history, { ...range, limit: 500 });
  expect(executions.map(({ instanceID }) => instanceID)).toEqual([last, first]);
  const newest = await world.rpc.call(execution.history, { ...range, limit: 1 });
  expect(newest.executions.map(({ instanceID }) => instanceID)).toEqual([last]);
});

test('a log is read as its newest lines in the order in which they were said, 1000 at the most', async () => {
  const at = await register(world.store);
  const instanceID = await ended(at, '2026-02-27T03:00:00.000Z');
  const time = (line: number) => new Date(Date.UTC(2026, 1, 27, 3, 0, line));
  await world.store.write(
    'INSERT INTO instance_log (instance_id, line, logged_at, severity, message, step, evidence) VALUES ?',
    [Array.from({ length: 1_005 }, (_, n) => [instanceID, n + 1, time(n + 1), 'INFO', `line ${n + 1}`, 'a', null])],
  );
  const read = async (limit: number, after?: number) => {
    const asked = { instanceID, viewer: { accountID: at.ownerID }, limit, after };
    return (await world.rpc.call(execution.logs, asked)).logs;
  };
  const logs = await read(5_000);
  expect(logs.map(({ message }) => message)).toEqual(Array.from({ length: 1_000 }, (_, n) => `line ${n + 6}`));
  expect(logs[0]?.timestamp).toBe(time(6).toISOString());
  expect((await read(2)).map(({ message }) => message)).toEqual(['line 1004', 'line 1005']);
  expect((await read(10, 1_003)).map(({ message }) => message)).toEqual(['line 1004', 'line 1005']);
});
