import type { ReportFrame } from '@batuta/agent-protocol';
import {
  execution,
  notifications,
  type AdoptedInstance,
  type InstanceWithDesiredState,
  type DesiredState,
  type EvidenceReply,
  type HeldInstance,
  type RequestsOf,
  type InstanceWork,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, HandlesStreaming, OnNotification, natsMicroservice, Rpc } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { FakeInstances, requestIDOf } from './fake-instances';

/** Value that ends the wait of a claim when it arrives in place of a session id. */
const WAIT_ENDED = 'wait ended';

@Controller()
class ExecutionHandlers {
  constructor(private readonly fake: FakeInstances) {}

  @HandlesStreaming(execution.claim)
  async claim(
    request: RequestsOf<typeof execution>['claim'],
    reply: (part: { work: InstanceWork[] }) => void,
  ): Promise<{ work: InstanceWork[] }> {
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

  /** A notification with `from`, the id of a session that takes no more work, ends the long polls of this session. */
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

  @Handles(execution.keepEvidence)
  async keepEvidence(request: RequestsOf<typeof execution>['keepEvidence']): Promise<EvidenceReply> {
    const reply = await this.fake.reply('keepEvidence', request, () => {
      this.fake.parts.push(request);
      if (this.fake.partReply instanceof ApiError) throw this.fake.partReply;
      return this.fake.partReply;
    });
    await this.fake.partsHeld;
    return reply;
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
        requestID: requestIDOf(one.instanceID),
      }));
      return { granted: adopted, revoked: held.filter((one) => !granted.includes(one)) };
    });
  }

  @Handles(execution.canAdopt)
  async canAdopt(request: Record<string, never>): Promise<{ ok: true }> {
    return this.fake.reply('canAdopt', request, () => ({ ok: true }));
  }

  @Handles(execution.desired)
  async desired(request: {
    sessionIDs: string[];
  }): Promise<{ instances: (InstanceWithDesiredState & { sessionID: string })[] }> {
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
): Promise<{ fake: FakeInstances; rpc: Rpc; stop(): Promise<void> }> {
  const fake = new FakeInstances();
  const rpc = await Rpc.connect(natsURL, 'test');
  fake.rpc = rpc;
  const app: INestMicroservice = await NestFactory.createMicroservice(
    { module: FakeModule, controllers: [ExecutionHandlers], providers: [{ provide: FakeInstances, useValue: fake }] },
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
