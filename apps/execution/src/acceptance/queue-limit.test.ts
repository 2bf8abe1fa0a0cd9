import { execution, type StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  countOf,
  creditsOf,
  registerProcess,
  startRequest,
  startWorld,
  type TestProcess,
  type ExecutionWorld,
} from '../../test/world';

const QUEUE_LIMIT = 1_000;
const REPLICA_COUNT = 2;

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld(REPLICA_COUNT, { QUEUED_PER_ENVIRONMENT: String(QUEUE_LIMIT) });
});
afterAll(() => world?.close());

const start = (request: StartRequest) => world.rpc.call(execution.start, request);
const countQueued = ({ environmentID }: TestProcess) =>
  countOf(world.store, 'instance', 'environment_id = ?', [environmentID]);

/** Fills a queue with `copies` copies of its first instance. */
async function fillQueue({ environmentID }: TestProcess, copies: number): Promise<void> {
  const columns = `process_id, process_name, owner_account_id, company_id, environment_id, version_id, version, trigger_kind,
    user_name, executor, request_id, status, accepted_as, accepted_at`;
  await world.store.write(
    `INSERT INTO instance (instance_id, ${columns}) SELECT UUID(), ${columns}
       FROM (SELECT * FROM instance WHERE environment_id = ? LIMIT 1) one JOIN seq_1_to_${copies}`,
    [environmentID],
  );
}

/** Starts until one is refused; returns the refusal. */
async function refusalOfStart(at: TestProcess): Promise<ApiError> {
  return waitUntil('a refused start', async () => {
    const refused = await start(startRequest(at)).catch((error: unknown) => error);
    return refused instanceof ApiError && refused;
  });
}

test('a start beyond the queue limit of its environment is RATE_LIMITED, stores and charges nothing, and starts in other environments are accepted', async () => {
  const [at, other] = [await registerProcess(world.store, { credits: 5_000 }), await registerProcess(world.store)];
  await start(startRequest(at));
  await fillQueue(at, QUEUE_LIMIT);
  const refused = await refusalOfStart(at);
  expect(refused).toMatchObject({ code: 'RATE_LIMITED' });
  expect(refused.message).toMatch(/environment "Plant" .*\(1000, setting QUEUED_PER_ENVIRONMENT\)/);
  await start(startRequest(other));

  // When neither replica accepts another start, both have counted the full queue.
  await waitUntil('both replicas refuse', async () => {
    const before = await countQueued(at);
    await Promise.all(Array.from({ length: 20 }, () => start(startRequest(at)).catch(() => undefined)));
    return (await countQueued(at)) === before;
  });
  const before = { stored: await countQueued(at), credits: await creditsOf(world.store, at.companyID) };
  await expect(start(startRequest(at))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  expect({ stored: await countQueued(at), credits: await creditsOf(world.store, at.companyID) }).toEqual(before);
  const { processID, trigger } = startRequest(at);
  const { refusals, status } = await world.rpc.call(execution.dryRun, { processID, trigger });
  expect([refusals.map(({ code }) => code), status]).toEqual([['RATE_LIMITED'], undefined]);
});

test('a queue that was full accepts starts again once agents have emptied it', async () => {
  const at = await registerProcess(world.store, { credits: 5_000 });
  await start(startRequest(at));
  await fillQueue(at, QUEUE_LIMIT);
  await refusalOfStart(at);
  await world.store.write("UPDATE instance SET status = 'running' WHERE environment_id = ?", [at.environmentID]);
  const accepted = await waitUntil('an accepted start', () => start(startRequest(at)).catch(() => undefined));
  expect(accepted.status).toBe('queued');
});

test('replicas that queue starts at the same time exceed the limit by at most a tenth each', async () => {
  const at = await registerProcess(world.store, { credits: 5_000 });
  await start(startRequest(at));
  await fillQueue(at, QUEUE_LIMIT - 50);
  await refusalOfStart(at);
  const starts = Array.from({ length: 600 }, () => start(startRequest(at)).catch(() => undefined));
  await Promise.all(starts);
  expect(await countQueued(at)).toBeLessThanOrEqual(QUEUE_LIMIT * (1 + REPLICA_COUNT / 10) + 200);
});
