import type { ReportFrame } from '@batuta/agent-protocol';
import {
  notifications,
  type execution,
  type DesiredState,
  type EvidenceReply,
  type HeldInstance,
  type RequestsOf,
  type InstanceWork,
} from '@batuta/contracts';
import { ApiError, type ErrorCode } from '@batuta/errors';
import { currentRequestID, currentTenant } from '@batuta/logging';
import { currentLargeRequest, type Rpc } from '@batuta/messaging';
import { EventEmitter } from 'node:events';

type ExecutionCall = 'claim' | 'grant' | 'release' | 'report' | 'keepEvidence' | 'adopt' | 'canAdopt' | 'desired';

export interface FakeInstance {
  instanceID: string;
  environmentID: string;
  status: 'queued' | 'unknown' | 'running' | 'ended' | 'crashed';
  fence: number;
  sessionID: string | undefined;
  desired: DesiredState;
  reports: ReportFrame[];
  /** Fields that replace or complete those of the instance's work. */
  work: Partial<InstanceWork>;
  /** The abilities that an agent must have to get the instance. */
  needs: string[];
}

/** For tests: execution's replies to the router, in memory; calls fail when a test says so. */
export class FakeInstances {
  readonly instances = new Map<string, FakeInstance>();
  /** All calls in their order, also those that failed. */
  readonly calls: {
    call: ExecutionCall;
    request: unknown;
    requestID: string | undefined;
    tenant: string | undefined;
    /** The tenant whose memory a large request uses; undefined for a small request. */
    memoryShare: string | undefined;
  }[] = [];
  /**
   * Emits an event whose name is the id of an environment, in two cases: an instance is queued there, or a session there
   * takes no more work. In the second case the event's argument is the id of the session.
   */
  readonly queueEvents = new EventEmitter().setMaxListeners(0);
  /** The picture parts that arrived, also those that `partReply` refuses. */
  readonly parts: RequestsOf<typeof execution>['keepEvidence'][] = [];
  /** The reply to every picture part; an ApiError is thrown. */
  partReply: EvidenceReply | ApiError = { accepted: true };
  /** The replies to picture parts wait for this promise. */
  partsHeld: Promise<unknown> = Promise.resolve();
  /** The failures that `fail` has set: `times` = how many further calls fail. */
  readonly failures = new Map<ExecutionCall, { times: number; after: boolean; code: ErrorCode }>();
  rpc: Rpc | undefined;
  /** Whether claims of an empty queue wait, as they do at the real service. */
  claimsWait = false;
  /** How many of the next long polls get no reply, as if their replica had crashed. */
  lostClaims = 0;
  /** How many of the next notifications that a session takes no more work are lost. */
  lostNotifications = 0;

  /** Makes the next calls fail with `code`, before or `after` they took effect. */
  fail(call: ExecutionCall, times: number, after = false, code: ErrorCode = 'UNAVAILABLE'): void {
    this.failures.set(call, { times, after, code });
  }

  /** Queues an instance, and unless `notify` is false tells the routers. */
  queue(
    environmentID: string,
    instanceID: string,
    notify = true,
    work: Partial<InstanceWork> = {},
    needs: string[] = [],
  ): void {
    this.instances.set(instanceID, {
      instanceID,
      environmentID,
      status: 'queued',
      fence: 0,
      sessionID: undefined,
      desired: 'run',
      reports: [],
      work,
      needs,
    });
    this.queueEvents.emit(environmentID);
    if (notify) this.rpc?.notify(notifications.work, { environmentID });
  }

  setDesired(instanceID: string, desired: DesiredState, notify: boolean): void {
    const instance = this.get(instanceID);
    instance.desired = desired;
    const { fence, sessionID } = instance;
    if (notify && sessionID) this.rpc?.notify(notifications.desired, { instanceID, fence, desired, sessionID });
  }

  get(instanceID: string): FakeInstance {
    const instance = this.instances.get(instanceID);
    if (!instance) throw new Error(`No instance ${instanceID}`);
    return instance;
  }

  /** Also counts calls that failed. */
  countCalls(call: ExecutionCall): number {
    return this.calls.filter((made) => made.call === call).length;
  }

  /** Records a call, and replies what `handle` returns unless `fail` has been set for this call. */
  reply<T>(call: ExecutionCall, request: unknown, handle: () => T): Promise<T> {
    const memoryShare = currentLargeRequest()?.tenant;
    this.calls.push({ call, request, requestID: currentRequestID(), tenant: currentTenant(), memoryShare });
    const failure = this.failures.get(call);
    const fails = failure !== undefined && failure.times > 0;
    if (fails) failure.times -= 1;
    if (fails && !failure.after) throw new ApiError(failure.code);
    const reply = handle();
    if (fails) throw new ApiError(failure.code);
    return Promise.resolve(reply);
  }

  claim(environmentID: string, sessionID: string, limit: number, abilities: readonly string[] = []): InstanceWork[] {
    const queued = [...this.instances.values()].filter(
      (instance) =>
        instance.environmentID === environmentID &&
        instance.status === 'queued' &&
        instance.needs.every((name) => abilities.includes(name)),
    );
    return queued.slice(0, limit).map((instance) => {
      Object.assign(instance, { status: 'unknown', fence: instance.fence + 1, sessionID });
      return workOf(instance);
    });
  }

  owns(sessionID: string, { instanceID, fence }: HeldInstance, ...statuses: FakeInstance['status'][]): boolean {
    const instance = this.instances.get(instanceID);
    return instance?.fence === fence && instance.sessionID === sessionID && statuses.includes(instance.status);
  }

  release(sessionID: string, held: HeldInstance): void {
    if (!this.owns(sessionID, held, 'unknown')) return;
    const instance = this.get(held.instanceID);
    Object.assign(instance, { status: 'queued', sessionID: undefined });
    this.rpc?.notify(notifications.work, { environmentID: instance.environmentID, from: sessionID });
  }

  report({ instanceID, fence, seq, end }: ReportFrame, report: ReportFrame): boolean {
    const instance = this.instances.get(instanceID);
    if (!instance || instance.fence !== fence) return false;
    if (instance.reports.some((known) => known.seq === seq)) return true;
    if (instance.status !== 'running') return false;
    instance.reports.push(report);
    if (end) instance.status = 'ended';
    return true;
  }
}

export function requestIDOf(instanceID: string): string {
  return `request-${instanceID}`;
}

function workOf({ instanceID, fence, work }: FakeInstance): InstanceWork {
  return {
    instanceID,
    fence,
    processID: 'p',
    processName: 'Orders',
    version: '1',
    userName: 'erp',
    requestID: requestIDOf(instanceID),
    flow: { start: 'a', steps: [] },
    matrix: [],
    vault: {},
    ...work,
  };
}
