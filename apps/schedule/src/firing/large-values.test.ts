import type { StartReply, StartRequest } from '@batuta/contracts';
import { openStore, type Store } from '@batuta/database';
import { JsonThread, RawJson } from '@batuta/json';
import { Rpc } from '@batuta/messaging';
import { v7 as uuid } from 'uuid';
import { createMigratedDatabase } from '../../../../test/support/migrated-database';
import { waitUntil } from '../../../../test/support/wait-until';
import { registerProcess, type RegisteredProcess } from '../../test/registry';
import { NominalClock } from '../nominal-clock';
import { findStartSettings } from './due-schedule.repository';
import { AcceptedStartWriter } from './accepted-start-writer';
import { FiringStartService } from './firing-start.service';
import { FiringMetrics } from './firing.metrics';

let database: { url: string; drop(): Promise<void> };
let store: Store;
beforeAll(async () => {
  database = await createMigratedDatabase();
  store = await openStore({ url: database.url, pool: 4 });
});
const jsonThread = new JsonThread();
afterAll(async () => {
  await jsonThread.close();
  await store?.close();
  await database?.drop();
});

/** Schedules with values of `bytes` each, with one pending firing each; returns the ids of the schedules. */
async function addPendingFirings(at: RegisteredProcess, count: number, bytes: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => uuid());
  for (const id of ids) {
    await store.write(
      `INSERT INTO schedule (schedule_id, process_id, creator_account_id, user_name, executor, name, cron_expression, matrix,
         active, created_at)
       VALUES (?, ?, ?, 'u', 'e', 'n', '0 9 * * *', CONCAT('{"text":"', REPEAT('x', ?), '"}'), 1, UTC_TIMESTAMP(3))`,
      [id, at.processID, at.ownerID, bytes],
    );
    await store.write(
      `INSERT INTO schedule_firing (schedule_id, nominal_at, instance_id, result, next_attempt_at, expires_at)
       VALUES (?, UTC_TIMESTAMP(), ?, 'pending', UTC_TIMESTAMP(3), UTC_TIMESTAMP(3) + INTERVAL 10 MINUTE)`,
      [id, uuid()],
    );
  }
  return ids;
}

/** One replica, and the list of starts that it requests; each stays unanswered until `answer` is called. */
function createReplica(clock = NominalClock.fromSetting(undefined)) {
  const startRequests: StartRequest[] = [];
  const answers: (() => void)[] = [];
  const call = (_: unknown, request: StartRequest): Promise<StartReply> => {
    startRequests.push(request);
    return new Promise((resolve) => answers.push(() => resolve({ instanceID: request.instanceID, status: 'started' })));
  };
  const rpc: Rpc = Object.assign(Object.create(Rpc.prototype), { call });
  const metrics: FiringMetrics = Object.assign(Object.create(FiringMetrics.prototype), { recordResult: () => {} });
  const service = new FiringStartService(store, rpc, clock, new AcceptedStartWriter(store), metrics, jsonThread);
  return { service, startRequests, answer: () => answers.shift()?.() };
}

const resultsOf = async (ids: string[]) =>
  (await store.rows<{ result: string }>('SELECT result FROM schedule_firing WHERE schedule_id IN (?)', [ids])).map(
    ({ result }) => result,
  );

test('only a few firings with large values are in memory at a time, and each fires once', async () => {
  const owners = await Promise.all(Array.from({ length: 6 }, () => registerProcess(store)));
  const ids = (await Promise.all(owners.map((at) => addPendingFirings(at, 4, 1_000_000)))).flat();
  const { service, startRequests, answer } = createReplica();
  let most = 0;
  let answered = 0;
  const stop = new AbortController();
  const isDone = () => stop.signal.aborted;
  // This loop works like the periodic task: a firing that gets no memory within a second is postponed, and the next
  // round starts it.
  const startUntilDone = async () => {
    while (!isDone()) await service.startPending(isDone);
  };
  const firing = startUntilDone();
  await waitUntil('all have fired', async () => {
    most = Math.max(most, startRequests.length - answered);
    if (startRequests.length > answered) {
      answer();
      answered += 1;
    }
    return answered === ids.length && (await resultsOf(ids)).every((result) => result === 'fired');
  });
  stop.abort();
  await firing;
  expect(new Set(startRequests.map(({ instanceID }) => instanceID)).size).toBe(24);
  expect(startRequests).toHaveLength(24);
  expect(startRequests.every(({ matrix }) => String(matrix?.text).length === 1_000_000)).toBe(true);
  // The budget is 64 MiB: 3 MB for each request that was sent, and 20 for the one whose values are being parsed.
  expect(most).toBeLessThanOrEqual(17);
});

test('a company with many firings of large values is postponed to its turns and delays no firing of another company', async () => {
  const large = await addPendingFirings(await registerProcess(store), 40, 1_000_000);
  const small = await addPendingFirings(await registerProcess(store), 20, 10);
  const { service, startRequests, answer } = createReplica();
  const firing = service.startPending(() => false);
  await waitUntil(
    'the small ones are requested',
    () => startRequests.filter(({ matrix }) => matrix?.text === 'xxxxxxxxxx').length === 20,
  );
  const answering = setInterval(() => answer(), 5);
  await firing.finally(() => clearInterval(answering));
  expect(await resultsOf(small)).toEqual(small.map(() => 'fired'));
  const pending = await store.row<{ count: number; attempts: number; seconds: number }>(
    `SELECT COUNT(*) AS count, CAST(SUM(attempts) AS INT) AS attempts,
            TIMESTAMPDIFF(SECOND, MIN(next_attempt_at), MAX(next_attempt_at)) AS seconds
       FROM schedule_firing WHERE schedule_id IN (?) AND result = 'pending'`,
    [large],
  );
  // The rate allows 4 MB at once and 1 MB a second: of the 32 firings that are leased together, the last gets its turn
  // 26 s after the first postponed one.
  expect(pending).toMatchObject({ attempts: 0 });
  expect(pending?.count).toBeGreaterThan(25);
  expect(pending?.seconds).toBeGreaterThan(20);
  await store.write('DELETE FROM schedule_firing');
});

test('firings are attempted while earlier starts have no reply, and an error of one attempt fails the round only after all attempts', async () => {
  const at = await registerProcess(store);
  const ids = await addPendingFirings(at, 50, 10);
  const { service, startRequests, answer } = createReplica();
  const firing = service.startPending(() => false);
  await waitUntil('more than one batch is on its way', () => startRequests.length === ids.length);
  const save = jest.spyOn(store, 'write').mockRejectedValueOnce(new Error('the database is away'));
  answer();
  await waitUntil('the first result is written in vain', () => save.mock.calls.length === 1);
  ids.slice(1).forEach(() => answer());
  await expect(firing).rejects.toThrow('the database is away');
  save.mockRestore();
  expect(new Set(startRequests.map(({ instanceID }) => instanceID)).size).toBe(50);
  expect((await resultsOf(ids)).filter((result) => result === 'fired')).toHaveLength(49);
  await store.write('DELETE FROM schedule_firing');
});

test('a list of many small objects fires unchanged, as text', async () => {
  const at = await registerProcess(store);
  const ids = await addPendingFirings(at, 1, 100);
  const list = JSON.stringify(Array.from({ length: 30_000 }, () => ({})));
  await store.write('UPDATE schedule SET matrix = ? WHERE schedule_id IN (?)', [`{"list":${list},"text":"é"}`, ids]);
  const { service, startRequests, answer } = createReplica();
  let done = false;
  const firing = service.startPending(() => done);
  await waitUntil('it has fired', async () => {
    answer();
    return (await resultsOf(ids))[0] === 'fired';
  });
  done = true;
  await firing;
  expect(startRequests.map(({ matrix }) => matrix)).toEqual([{ list: new RawJson(list), text: 'é' }]);
});

test('the query of leased firings reads small values, and only the size of large ones', async () => {
  const at = await registerProcess(store);
  const [small] = await addPendingFirings(at, 1, 100);
  const [large] = await addPendingFirings(at, 1, 1_000_000);
  const found = await findStartSettings(store, [small ?? '', large ?? '']);
  expect(new Map(found.map((one) => [one.schedule_id, [one.matrix?.length, one.matrix_bytes]]))).toEqual(
    new Map([
      [small, [111, 111]],
      [large, [undefined, 1_000_011]],
    ]),
  );
  await store.write('DELETE FROM schedule_firing');
});

test('a firing that another replica attempts while its values wait for memory is not started', async () => {
  const at = await registerProcess(store);
  const ids = await addPendingFirings(at, 1, 1_000_000);
  class ClockWithConcurrentAttempt extends NominalClock {
    private reads = 0;

    override async read(reader: Store) {
      this.reads += 1;
      // The first reading of the clock is for the lease, the second one for the attempt.
      if (this.reads === 2) await store.write('UPDATE schedule_firing SET attempts = attempts + 1');
      return super.read(reader);
    }
  }
  const { service, startRequests } = createReplica(new ClockWithConcurrentAttempt(() => 'UTC_TIMESTAMP(3)'));
  await service.startPending(() => false);
  expect([startRequests, await resultsOf(ids)]).toEqual([[], ['pending']]);
});
