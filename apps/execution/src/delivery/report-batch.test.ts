import type { ReportFrame } from '@batuta/agent-protocol';
import { execution } from '@batuta/contracts';
import { waitUntil } from '../../../../test/support/wait-until';
import {
  connectAgent,
  countOf,
  registerProcess,
  startRequest,
  startWorld,
  type ExecutionWorld,
} from '../../test/world';

let world: ExecutionWorld;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const INSTANCE_COUNT = 30;
const line = { timestamp: '2026-11-20T12:00:00.000Z', severity: 'INFO' as const, message: 'm', stepID: 's' };
const end = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };

test('each report of a batch is checked by itself, and a valid report is written completely', async () => {
  const at = await registerProcess(world.store);
  const sessionID = await connectAgent(world.store, at.environmentID);
  await Promise.all(Array.from({ length: INSTANCE_COUNT }, () => world.rpc.call(execution.start, startRequest(at))));
  const claim = { environmentID: at.environmentID, sessionID, limit: INSTANCE_COUNT };
  const { work } = await world.rpc.call(execution.claim, claim);
  const grants = await Promise.all(
    work.map(({ instanceID, fence }) => world.rpc.call(execution.grant, { instanceID, fence, sessionID })),
  );
  expect(grants).toEqual(work.map(() => ({ granted: true, desired: 'run' })));

  const outcomes = await Promise.all(
    work.map(({ instanceID, fence }, index) => {
      const kind = index % 3;
      const report: ReportFrame & { sessionID: string } = {
        type: 'report',
        instanceID,
        fence: kind === 1 ? fence - 1 : fence,
        seq: kind === 2 ? 2 : 1,
        lines: [line, line],
        end,
        sessionID,
      };
      return world.rpc.call(execution.report, report).then(({ accepted }) => accepted);
    }),
  );
  const expected = [true, false, false];
  expect(outcomes).toEqual(work.map((_, index) => expected[index % 3]));
  const good = work.filter((_, index) => index % 3 === 0).map(({ instanceID }) => instanceID);
  const stale = work.filter((_, index) => index % 3 === 1).map(({ instanceID }) => instanceID);
  const withGap = work.filter((_, index) => index % 3 === 2).map(({ instanceID }) => instanceID);
  expect(await countOf(world.store, 'instance', "instance_id IN (?) AND status = 'success'", [good])).toBe(good.length);
  expect(await countOf(world.store, 'instance_log', 'instance_id IN (?)', [good])).toBe(2 * good.length);
  expect(await countOf(world.store, 'instance', "instance_id IN (?) AND status = 'running'", [stale])).toBe(
    stale.length,
  );
  expect(await countOf(world.store, 'instance', "instance_id IN (?) AND outcome = 'CRASHED'", [withGap])).toBe(
    withGap.length,
  );
  expect(await countOf(world.store, 'instance_log', 'instance_id IN (?)', [[...stale, ...withGap]])).toBe(0);
});

test('several ends in error of one batch empty the queue of their environment once', async () => {
  const at = await registerProcess(world.store, { cancelQueue: true });
  const sessionID = await connectAgent(world.store, at.environmentID);
  await Promise.all(Array.from({ length: INSTANCE_COUNT }, () => world.rpc.call(execution.start, startRequest(at))));
  const { work } = await world.rpc.call(execution.claim, {
    environmentID: at.environmentID,
    sessionID,
    limit: INSTANCE_COUNT,
  });
  await Promise.all(
    work.map(({ instanceID, fence }) => world.rpc.call(execution.grant, { instanceID, fence, sessionID })),
  );
  // Debug runs cost no credit, so that only the code under test prevents a double end. With a credit the ledger would refuse the
  // second refund and hide the fault.
  const trigger = { kind: 'debug' as const, accountID: at.ownerID, userName: 'o', executor: 'o' };
  const queued = startRequest(at, { trigger });
  await world.rpc.call(execution.start, queued);
  // The first report is a batch by itself; the others arrive while it is written and form the next batch.
  await Promise.all(
    work.map(({ instanceID, fence }, index) =>
      world.rpc.call(execution.report, {
        type: 'report' as const,
        instanceID,
        fence,
        seq: 1,
        lines: [line],
        ...(index > 0 && { end: { ...end, outcome: 'ERROR' as const } }),
        sessionID,
      }),
    ),
  );
  const ends = "instance_id = ? AND action = 'end'";
  await waitUntil(
    'the queue is cancelled',
    async () => (await countOf(world.store, 'audit_event', ends, [queued.instanceID])) > 0,
  );
  expect(await countOf(world.store, 'audit_event', ends, [queued.instanceID])).toBe(1);
});
