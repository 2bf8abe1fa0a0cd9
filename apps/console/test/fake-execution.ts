import {
  execution,
  notifications,
  type AuditEvent,
  type InstanceBody,
  type LogLine,
  type RequestsOf,
  type StartReply,
  type StartRequest,
  type Viewer,
} from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Handles, OnNotification, natsMicroservice } from '@batuta/messaging';
import { Controller, Module, type INestMicroservice } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';

const INSTANCE: InstanceBody = {
  instanceID: '01920000-0000-7000-8000-000000000001',
  processID: '01920000-0000-7000-8000-000000000002',
  processName: 'Orders',
  status: 'running',
  userName: 'Ana',
  startedAt: 1_700_000_000_000,
};
const LINE: LogLine = {
  timestamp: '2026-11-20T12:00:00.000Z',
  severity: 'INFO',
  message: 'hello',
  stepID: 'greet',
  userName: 'Ana',
  version: '1',
  evidence: null,
};
const EVENT: AuditEvent = {
  at: '2026-11-20T12:00:00.000Z',
  action: 'start',
  instanceID: INSTANCE.instanceID,
  executor: 'ana@example.com',
  accountID: null,
  detail: {},
};

type ListRequest = Omit<RequestsOf<typeof execution>['instances'], 'before'> & { before?: string | number };

/** Stands in for the execution service: records the requests and answers as the test configures. */
@Controller()
export class FakeExecution {
  static readonly instance = INSTANCE;
  static readonly line = LINE;
  static readonly event = EVENT;

  readonly balances = new Map<string, number>();
  readonly starts: StartRequest[] = [];
  readonly viewers: Viewer[] = [];
  readonly limits: number[] = [];
  readonly lists: ListRequest[] = [];
  readonly changedEnvironments: string[] = [];
  readonly requests: { environmentID?: string; processID?: string }[] = [];
  readonly audited: RequestsOf<typeof execution>['recordAudit'][] = [];
  auditFails = false;
  active = 0;
  startReply: StartReply['status'] | ApiError = 'started';
  /** Number of coming starts that stay without an answer. */
  unanswered = 0;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.starts.push(request);
    if (this.unanswered-- > 0) throw new ApiError('UNAVAILABLE');
    if (this.startReply instanceof ApiError) throw this.startReply;
    return { instanceID: request.instanceID, status: this.startReply };
  }

  @Handles(execution.instance)
  async instance({ instanceID, viewer }: { instanceID: string; viewer: Viewer }): Promise<InstanceBody> {
    this.viewers.push(viewer);
    if (instanceID !== INSTANCE.instanceID) throw new ApiError('INSTANCE_NOT_FOUND');
    return INSTANCE;
  }

  @Handles(execution.logs)
  async logs({ instanceID, viewer, limit }: { instanceID: string; viewer: Viewer; limit: number }) {
    this.viewers.push(viewer);
    this.limits.push(limit);
    if (instanceID !== INSTANCE.instanceID) throw new ApiError('INSTANCE_NOT_FOUND');
    return { logs: [LINE] };
  }

  @Handles(execution.instances)
  async instances(request: ListRequest): Promise<{ instances: InstanceBody[] }> {
    this.lists.push(request);
    return { instances: [INSTANCE] };
  }

  @Handles(execution.audit)
  async audit(request: ListRequest): Promise<{ events: AuditEvent[] }> {
    this.lists.push(request);
    return { events: [EVENT] };
  }

  @Handles(execution.recordAudit)
  async recordAudit(event: RequestsOf<typeof execution>['recordAudit']): Promise<{ ok: true }> {
    if (this.auditFails) throw new ApiError('UNAVAILABLE');
    this.audited.push(event);
    return { ok: true };
  }

  @Handles(execution.credits)
  async credits({ companyIDs }: { companyIDs: string[] }): Promise<{ balances: Record<string, number> }> {
    return { balances: Object.fromEntries(companyIDs.map((id) => [id, this.balances.get(id) ?? 0])) };
  }

  @Handles(execution.setCredits)
  async setCredits({ companyID, credits }: { companyID: string; credits: number }): Promise<{ balance: number }> {
    this.balances.set(companyID, credits);
    return { balance: credits };
  }

  @Handles(execution.inUse)
  async inUse({ environmentID, processID }: { environmentID?: string; processID?: string }) {
    this.requests.push({ environmentID, processID });
    return { active: this.active };
  }

  @OnNotification(notifications.environmentChanged)
  async environmentChanged({ environmentID }: { environmentID: string }): Promise<void> {
    this.changedEnvironments.push(environmentID);
  }
}

@Module({ controllers: [FakeExecution] })
class FakeExecutionModule {}

export async function startFakeExecution(natsURL: string): Promise<{ app: INestMicroservice; fake: FakeExecution }> {
  const options = { ...natsMicroservice(natsURL, 'fake-execution'), logger: false as const };
  const app = await NestFactory.createMicroservice(FakeExecutionModule, options);
  await app.listen();
  return { app, fake: app.get(FakeExecution) };
}
