import type { ReportFrame } from '@batuta/agent-protocol';
import { execution, notifications, type ControlAction, type Outcome, type InstanceWork } from '@batuta/contracts';
import {
  connectAgent,
  registerProcess,
  startRequest,
  type ProcessOptions,
  type TestProcess,
  type ExecutionWorld,
} from './world';

export type QueuedInstance = TestProcess & { sessionID: string; instanceID: string };
export type ClaimedInstance = TestProcess & { sessionID: string; work: InstanceWork };

/** An instance in the queue of an environment whose connected agent has not claimed. */
export async function createQueuedInstance(world: ExecutionWorld, options?: ProcessOptions): Promise<QueuedInstance> {
  const registered = await registerProcess(world.store, options);
  const sessionID = await connectAgent(world.store, registered.environmentID);
  const { instanceID } = await world.rpc.call(execution.start, startRequest(registered));
  return { ...registered, sessionID, instanceID };
}

export async function createClaimedInstance(world: ExecutionWorld, options?: ProcessOptions): Promise<ClaimedInstance> {
  const queued = await createQueuedInstance(world, options);
  const [work] = await claimOnce(world, queued);
  if (!work) throw new Error('Nothing was claimed');
  return { ...queued, work };
}

export async function createRunningInstance(world: ExecutionWorld, options?: ProcessOptions): Promise<ClaimedInstance> {
  const claimed = await createClaimedInstance(world, options);
  await requestGrant(world, claimed);
  return claimed;
}

/** A claim that does not wait. */
export async function claimOnce(
  world: ExecutionWorld,
  { environmentID, sessionID }: { environmentID: string; sessionID: string },
  limit = 1,
): Promise<InstanceWork[]> {
  return (await world.rpc.call(execution.claim, { environmentID, sessionID, limit })).work;
}

export const heldInstanceOf = ({ work: { instanceID, fence } }: ClaimedInstance) => ({ instanceID, fence });

export const requestGrant = (world: ExecutionWorld, claimed: ClaimedInstance) =>
  world.rpc.call(execution.grant, { ...heldInstanceOf(claimed), sessionID: claimed.sessionID });

/** Sends a report with one log line, `line of <seq>`. */
export function sendReport(
  world: ExecutionWorld,
  running: ClaimedInstance,
  seq: number,
  over: Partial<ReportFrame> = {},
  endIfUnstorable = false,
) {
  const lines: ReportFrame['lines'] = [
    { timestamp: new Date().toISOString(), severity: 'INFO', message: `line of ${seq}`, stepID: 'a' },
  ];
  const { sessionID } = running;
  return world.rpc.call(execution.report, {
    type: 'report',
    ...heldInstanceOf(running),
    sessionID,
    seq,
    lines,
    ...over,
    ...(endIfUnstorable && { endIfUnstorable }),
  });
}

export const endReport = (outcome: Outcome) => ({ end: { outcome, errorStep: null, errorMessage: null } });

export const viewerOf = ({ ownerID }: TestProcess) => ({ accountID: ownerID });

export const readInstance = (world: ExecutionWorld, { work: { instanceID }, ...registered }: ClaimedInstance) =>
  world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(registered) });

export const readLogs = (world: ExecutionWorld, { work: { instanceID }, ...registered }: ClaimedInstance) =>
  world.rpc.call(execution.logs, { instanceID, viewer: viewerOf(registered), limit: 1000 });

export const requestControl = (
  world: ExecutionWorld,
  registered: TestProcess,
  instanceID: string,
  action: ControlAction,
  tenant?: string,
) =>
  world.rpc.call(execution.control, { instanceID, action, viewer: viewerOf(registered), executor: 'erp' }, { tenant });

/** The ids of the instances about whose changes execution has notified since the call. */
export function followChanges(world: ExecutionWorld): { changed: Set<string>; stop: () => void } {
  const changed = new Set<string>();
  const stop = world.rpc.subscribe(notifications.instancesChanged, ({ instanceIDs }) => {
    for (const id of instanceIDs) changed.add(id);
  });
  return { changed, stop };
}
