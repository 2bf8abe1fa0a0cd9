import type { ReportFrame } from '@batuta/agent-protocol';
import { execution, type ControlAction, type Outcome, type Work } from '@batuta/contracts';
import { connect, register, startRequest, type Options, type Registered, type World } from './world';

export type QueuedInstance = Registered & { sessionID: string; instanceID: string };
export type ClaimedInstance = Registered & { sessionID: string; work: Work };

export async function queuedInstance(world: World, options?: Options): Promise<QueuedInstance> {
  const registered = await register(world.store, options);
  const sessionID = await connect(world.store, registered.environmentID);
  const { instanceID } = await world.rpc.call(execution.start, startRequest(registered));
  return { ...registered, sessionID, instanceID };
}

export async function claimedInstance(world: World, options?: Options): Promise<ClaimedInstance> {
  const queued = await queuedInstance(world, options);
  const [work] = await claimOnce(world, queued);
  if (!work) throw new Error('Nothing was claimed');
  return { ...queued, work };
}

export async function runningInstance(world: World, options?: Options): Promise<ClaimedInstance> {
  const claimed = await claimedInstance(world, options);
  await grant(world, claimed);
  return claimed;
}

/** A claim that does not wait. */
export async function claimOnce(
  world: World,
  { environmentID, sessionID }: { environmentID: string; sessionID: string },
  limit = 1,
): Promise<Work[]> {
  return (await world.rpc.call(execution.claim, { environmentID, sessionID, limit })).work;
}

export const heldBy = ({ work: { instanceID, fence } }: ClaimedInstance) => ({ instanceID, fence });

export const grant = (world: World, claimed: ClaimedInstance) =>
  world.rpc.call(execution.grant, { ...heldBy(claimed), sessionID: claimed.sessionID });

/** A report with one log line, `line of <seq>`. */
export function report(world: World, running: ClaimedInstance, seq: number, over: Partial<ReportFrame> = {}) {
  const lines: ReportFrame['lines'] = [
    { timestamp: new Date().toISOString(), severity: 'INFO', message: `line of ${seq}`, stepID: 'a' },
  ];
  const { sessionID } = running;
  return world.rpc.call(execution.report, { type: 'report', ...heldBy(running), sessionID, seq, lines, ...over });
}

export const end = (outcome: Outcome) => ({ end: { outcome, errorStep: null, errorMessage: null } });

export const viewerOf = ({ ownerID }: Registered) => ({ accountID: ownerID });

export const readInstance = (world: World, { work: { instanceID }, ...registered }: ClaimedInstance) =>
  world.rpc.call(execution.instance, { instanceID, viewer: viewerOf(registered) });

export const readLogs = (world: World, { work: { instanceID }, ...registered }: ClaimedInstance) =>
  world.rpc.call(execution.logs, { instanceID, viewer: viewerOf(registered), limit: 1000 });

export const control = (world: World, registered: Registered, instanceID: string, action: ControlAction) =>
  world.rpc.call(execution.control, { instanceID, action, viewer: viewerOf(registered), executor: 'erp' });
