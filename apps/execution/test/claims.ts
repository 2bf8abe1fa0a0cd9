import { execution, type StartRequest, type InstanceWork } from '@batuta/contracts';
import { waitUntil } from '../../../test/support/wait-until';
import { EmptyQueueCache } from '../src/claims/empty-queue-cache';
import { PendingClaims } from '../src/claims/pending-claims';
import {
  connectAgent,
  countOf,
  registerProcess,
  type ProcessOptions,
  type TestProcess,
  type ExecutionWorld,
} from './world';

// No test file of execution may call `jest.restoreAllMocks`, which would end these spies for the files that jest runs after it in the same group.
const waitSpy = jest.spyOn(PendingClaims.prototype, 'wait');
const pollSpy = jest.spyOn(EmptyQueueCache.prototype, 'pollAndRecord');

/** A process whose environment has a connected agent. */
export type ProcessWithAgent = TestProcess & { sessionID: string };

export async function createProcessWithAgent(
  world: ExecutionWorld,
  options?: ProcessOptions,
): Promise<ProcessWithAgent> {
  const registered = await registerProcess(world.store, options);
  return { ...registered, sessionID: await connectAgent(world.store, registered.environmentID) };
}

/** Claims up to `limit` instances; waits up to `waitMilliseconds` while the queue is empty. */
export async function claim(
  world: ExecutionWorld,
  { environmentID, sessionID }: ProcessWithAgent,
  limit = 5,
  waitMilliseconds = 60_000,
): Promise<InstanceWork[]> {
  const request = { environmentID, sessionID, limit, waitMilliseconds };
  return (await world.rpc.call(execution.claim, request, { timeout: 2 * waitMilliseconds })).work;
}

/** Starts a claim and waits until it is pending. Like a router it claims again after a reply without work. */
export async function startPendingClaim(
  world: ExecutionWorld,
  at: ProcessWithAgent,
  limit = 5,
): Promise<{ reply: Promise<InstanceWork[]> }> {
  const untilWork = async () => {
    let work = await claim(world, at, limit);
    while (work.length === 0) work = await claim(world, at, limit);
    return work;
  };
  const reply = untilWork();
  await untilClaimWaits(at);
  return { reply };
}

/** Longer than any test, so that no claim ends by its timeout. */
const LONG_WAIT_MS = 600_000;

/** Claims work in parts: `received` gets the parts ahead of the reply, which resolves the promise and ends the claim. */
export function claimInParts(
  world: ExecutionWorld,
  { environmentID, sessionID }: ProcessWithAgent,
  received: InstanceWork[],
  limit = 5,
  abilities?: string[],
  publicKey?: string,
): Promise<{ work: InstanceWork[] }> {
  return world.rpc.call(
    execution.claim,
    { environmentID, sessionID, limit, abilities, publicKey, waitMilliseconds: LONG_WAIT_MS, inParts: true },
    { timeout: 700_000, onPartial: ({ work }) => received.push(...work) },
  );
}

/** Waits until at least `count` claims have begun to wait in the environment, those that have ended since included. */
export const untilClaimWaits = ({ environmentID }: TestProcess, count = 1) =>
  waitUntil('claims wait', () => waitSpy.mock.calls.filter(([id]) => id === environmentID).length >= count);

/** The number of polls of the environment's queue. */
export const countPolls = ({ environmentID }: TestProcess) =>
  pollSpy.mock.calls.filter(([id]) => id === environmentID).length;

export const start = (world: ExecutionWorld, request: StartRequest) => world.rpc.call(execution.start, request);

export const countQueuedIn = (world: ExecutionWorld, { environmentID }: TestProcess) =>
  countOf(world.store, 'instance', "environment_id = ? AND status = 'queued'", [environmentID]);

export const idsOf = (instances: { instanceID: string }[]) => instances.map(({ instanceID }) => instanceID);
