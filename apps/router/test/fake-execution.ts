import type { ReportFrame } from '@batuta/agent-protocol';
import {
  execution,
  notifications,
  type AdoptedInstance,
  type DesiredInstance,
  type DesiredState,
  type HeldInstance,
  type RequestsOf,
  type Work,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { currentRequestID } from '@batuta/logging';
import { Handles, HandlesStreaming, OnNotification, natsMicroservice, Rpc } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

type Call = 'claim' | 'grant' | 'release' | 'report' | 'adopt' | 'desired';

export interface FakeInstance {
  instanceID: string;
  environmentID: string;
  status: 'queued' | 'unknown' | 'running' | 'ended' | 'crashed';
  fence: number;
  sessionID: string | undefined;
  desired: DesiredState;
  reports: ReportFrame[];
  /** Replaces or adds fields of its work. */
  work: Partial<Work>;
  /** The abilities without which no agent gets it. */
  needs: string[];
}

/** For tests: execution's replies to the router, in memory; calls fail when a test says so. */
export class FakeExecution {
  readonly instances = new Map<string, FakeInstance>();
  readonly calls: { call: Call; request: unknown; requestID: string | undefined }[] = [];
  /** Emits the id of an environment when an instance is queued there or a session takes no more. */
  readonly queueEvents = new EventEmitter().setMaxListeners(0);
  readonly failures = new Map<Call, { times: number; after: boolean }>();
  rpc: Rpc | undefined;
  /** Whether claims of an empty queue wait, as they do at the real service. */
  claimsWait = false;
  /** How many of the next long polls get no reply, as if their replica had crashed. */
  lostClaims = 0;
  /** How many of the next notifications "this session takes no more" are lost. */
  lostNotifications = 0;

  /** The next calls fail as UNAVAILABLE, before or `after` they took effect. */
  fail(call: Call, times: number, after = false): void {
    this.failures.set(call, { times, after });
  }

  queue(
    environmentID: string,
    instanceID: string,
    notify = true,
    work: Partial<Work> = {},
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

  count(call: Call): number {
    return this.calls.filter((made) => made.call === call).length;
  }

  reply<T>(call: Call, request: unknown, handle: () => T): Promise<T> {
    this.calls.push({ call, request, requestID: currentRequestID() });
    const failure = this.failures.get(call);
    const fails = failure !== undefined && failure.times > 0;
    if (fails) failure.times -= 1;
    if (fails && !failure.after) throw new ApiError('UNAVAILABLE');
    const reply = handle();
    if (fails) throw new ApiError('UNAVAILABLE');
    return Promise.resolve(reply);
  }

  claim(environmentID: string, sessionID: string, limit: number, abilities: readonly string[] = []): Work[] {
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

/** Takes the place of a session id when the wait of a claim ends. */
const WAIT_ENDED = 'wait ended';

function requestOf(instanceID: string): string {
  return `request-${instanceID}`;
}

function workOf({ instanceID, fence, work }: FakeInstance): Work {
  return {
    instanceID,
    fence,
    processID: 'p',
    processName: 'Orders',
    version: '1',
    userName: 'erp',
    requestID: requestOf(instanceID),
    flow: { start: 'a', steps: [] },
    matrix: [],
    vault: {},
    ...work,
  };
}

@Controller()
class ExecutionHandlers {
  constructor(private readonly fake: FakeExecution) {}

  @HandlesStreaming(execution.claim)
  async claim(
    request: RequestsOf<typeof execution>['claim'],
    reply: (part: { work: Work[] }) => void,
  ): Promise<{ work: Work[] }> {
    const { environmentID, sessionID, limit, abilities, waitMilliseconds = 0, inParts } = request;
    let room = limit;
    const claim = () => {
      const work = this.fake.claim(environmentID, sessionID, room, abilities);
      room -= work.length;
      return { work };
    };
    let found = await this.fake.reply('claim', request, claim);
    if (!this.fake.claimsWait || waitMilliseconds === 0) return found;
    const waitEnded = sleep(waitMilliseconds, [WAIT_ENDED], { ref: false });
    for (;;) {
      if (found.work.length > 0 && (!inParts || room === 0)) return found;
      if (found.work.length > 0) reply(found);
      if (this.fake.lostClaims > 0) {
        this.fake.lostClaims -= 1;
        return new Promise(() => {});
      }
      const [from] = await Promise.race([once(this.fake.queueEvents, environmentID), waitEnded]);
      if (from === sessionID) return { work: [] };
      found = claim();
      if (from === WAIT_ENDED) return found;
    }
  }

  /** With `from`: that session takes no more. */
  @OnNotification(notifications.work)
  async work({ environmentID, from }: { environmentID: string; from?: string }): Promise<void> {
    if (from === undefined) return;
    if (this.fake.lostNotifications > 0) this.fake.lostNotifications -= 1;
    else this.fake.queueEvents.emit(environmentID, from);
  }

  @Handles(execution.grant)
  async grant(request: HeldInstance & { sessionID: string }): Promise<{ granted: boolean; desired: DesiredState }> {
    return this.fake.reply('grant', request, () => {
      const granted = this.fake.owns(request.sessionID, request, 'unknown', 'running');
      const instance = this.fake.get(request.instanceID);
      if (granted) instance.status = 'running';
      return { granted, desired: instance.desired };
    });
  }

  @Handles(execution.release)
  async release(request: { sessionID: string; instances: HeldInstance[] }): Promise<{ released: number }> {
    return this.fake.reply('release', request, () => {
      for (const held of request.instances) this.fake.release(request.sessionID, held);
      return { released: request.instances.length };
    });
  }

  @Handles(execution.report)
  async report(request: ReportFrame & { sessionID: string }): Promise<{ accepted: boolean; seq: number }> {
    return this.fake.reply('report', request, () => ({
      accepted: this.fake.report(request, request),
      seq: request.seq,
    }));
  }

  @Handles(execution.adopt)
  async adopt(request: {
    sessionID: string;
    previousSessionID: string;
    held: HeldInstance[];
  }): Promise<{ granted: AdoptedInstance[]; revoked: HeldInstance[] }> {
    return this.fake.reply('adopt', request, () => {
      const { sessionID, previousSessionID, held } = request;
      const granted = held.filter((one) => this.fake.owns(previousSessionID, one, 'unknown', 'running'));
      for (const { instanceID } of granted) Object.assign(this.fake.get(instanceID), { sessionID, status: 'running' });
      for (const instance of this.fake.instances.values()) {
        if (instance.sessionID === previousSessionID && instance.status === 'running') instance.status = 'crashed';
      }
      const adopted = granted.map((one) => ({
        ...one,
        desired: this.fake.get(one.instanceID).desired,
        requestID: requestOf(one.instanceID),
      }));
      return { granted: adopted, revoked: held.filter((one) => !granted.includes(one)) };
    });
  }

  @Handles(execution.desired)
  async desired(request: {
    sessionIDs: string[];
  }): Promise<{ instances: (DesiredInstance & { sessionID: string })[] }> {
    return this.fake.reply('desired', request, () => ({
      instances: [...this.fake.instances.values()].flatMap(({ instanceID, fence, desired, sessionID }) =>
        sessionID !== undefined && request.sessionIDs.includes(sessionID) && desired !== 'run'
          ? [{ instanceID, fence, desired, sessionID }]
          : [],
      ),
    }));
  }
}

@Module({})
class FakeModule {}

export async function startFakeExecution(
  natsURL: string,
): Promise<{ fake: FakeExecution; rpc: Rpc; stop(): Promise<void> }> {
  const fake = new FakeExecution();
  const rpc = await Rpc.connect(natsURL, 'test');
  fake.rpc = rpc;
  const app: INestMicroservice = await NestFactory.createMicroservice(
    { module: FakeModule, controllers: [ExecutionHandlers], providers: [{ provide: FakeExecution, useValue: fake }] },
    { ...natsMicroservice(natsURL, 'execution'), logger: false },
  );
  await app.listen();
  return {
    fake,
    rpc,
    stop: async () => {
      await app.close();
      await rpc.close();
    },
  };
}
