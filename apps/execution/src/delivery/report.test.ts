import { execution, type ReportFrame } from '@batuta/contracts';
import { connect, countOf, register, startRequest, startWorld, type World } from '../../test/world';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.close());

const INSTANCES = 30;
const line = { timestamp: '2026-11-20T12:00:00.000Z', severity: 'INFO' as const, message: 'm', stepID: 's' };
const end = { outcome: 'FINALIZED' as const, errorStep: null, errorMessage: null };

test('of reports that come together each is judged by itself, and those that are good are written whole', async () => {
  const at = await register(world.store);
  const sessionID = await connect(world.store, at.environmentID);
  await Promise.all(Array.from({ length: INSTANCES }, () => world.rpc.call(execution.start, startRequest(at))));
  const claim = { environmentID: at.environmentID, sessionID, limit: INSTANCES };
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
      return world.rpc.call(execution.report, report).then(
        ({ accepted }) => accepted,
        (error: unknown) => String(error),
      );
    }),
  );
  const expected = [true, false, 'ApiError: seq: 2 came before 1'];
  expect(outcomes).toEqual(work.map((_, index) => expected[index % 3]));
  const good = work.filter((_, index) => index % 3 === 0).map(({ instanceID }) => instanceID);
  const others = work.filter((_, index) => index % 3 !== 0).map(({ instanceID }) => instanceID);
  expect(await countOf(world.store, 'instance', "instance_id IN (?) AND status = 'success'", [good])).toBe(good.length);
  expect(await countOf(world.store, 'instance_log', 'instance_id IN (?)', [good])).toBe(2 * good.length);
  expect(await countOf(world.store, 'instance', "instance_id IN (?) AND status = 'running'", [others])).toBe(
    others.length,
  );
  expect(await countOf(world.store, 'instance_log', 'instance_id IN (?)', [others])).toBe(0);
});

test('of errors that come together in one environment the queue is emptied once', async () => {
  const at = await register(world.store, { cancelQueue: true });
  const sessionID = await connect(world.store, at.environmentID);
  await Promise.all(Array.from({ length: INSTANCES }, () => world.rpc.call(execution.start, startRequest(at))));
  const { work } = await world.rpc.call(execution.claim, {
    environmentID: at.environmentID,
    sessionID,
    limit: INSTANCES,
  });
  await Promise.all(
    work.map(({ instanceID, fence }) => world.rpc.call(execution.grant, { instanceID, fence, sessionID })),
  );
  // A debug run has no credit whose second return would be refused.
  const trigger = { kind: 'debug' as const, accountID: at.ownerID, userName: 'o', executor: 'o' };
  const waiting = startRequest(at, { trigger });
  await world.rpc.call(execution.start, waiting);
  // The first is written alone, while the others gather.
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
  expect(await countOf(world.store, 'audit_event', ends, [waiting.instanceID])).toBe(1);
});
