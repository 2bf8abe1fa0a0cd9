import {
  execution,
  notifications,
  type AuditEvent,
  type AuditFeedEvent,
  type ControlAction,
  type CreditEntry,
  type DryRunReply,
  type EnvironmentLoad,
  type Run,
  type RunDetails,
  type RunListPage,
  type Statistics,
  type EvidencePage,
  type InstanceBody,
  type InstanceNews,
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
const LOG_LINE: LogLine = {
  timestamp: '2026-11-20T12:00:00.000Z',
  severity: 'INFO',
  message: 'hello',
  stepID: 'greet',
  userName: 'Ana',
  version: '1',
  evidence: null,
};
const RUN: Run = {
  instanceID: INSTANCE.instanceID,
  processID: INSTANCE.processID,
  processName: 'Orders',
  status: 'error',
  outcome: 'ERROR',
  trigger: 'webhook',
  userName: 'Shop',
  environmentID: '01920000-0000-7000-8000-000000000003',
  version: 1,
  acceptedAt: '2026-11-20T12:00:00.000Z',
  startedAt: '2026-11-20T12:00:00.000Z',
  finishedAt: '2026-11-20T12:00:01.000Z',
  durationMs: 1_000,
  errorStep: 'greet',
  errorMessage: 'boom',
  retryOf: null,
};
const CREDIT_ENTRY: CreditEntry = {
  at: '2026-11-20T12:00:00.000Z',
  kind: 'start',
  amount: -1,
  instanceID: INSTANCE.instanceID,
};
const OUTCOME_COUNTS = { FINALIZED: 0, TERMINATED: 0, STEP_LIMIT_REACHED: 0, ERROR: 1, STOPPED: 0, CRASHED: 0 };
const STATISTICS: Statistics = {
  buckets: [{ at: '2026-11-20T03:00:00.000Z', outcomes: OUTCOME_COUNTS, p50Ms: 1_000, p95Ms: 1_000 }],
  outcomes: OUTCOME_COUNTS,
  p50Ms: 1_000,
  p95Ms: 1_000,
  since: '2026-11-20T03:00:00.000Z',
};
const AUDIT_EVENT: AuditEvent = {
  at: '2026-11-20T12:00:00.000Z',
  action: 'start',
  instanceID: INSTANCE.instanceID,
  executor: 'ana@example.com',
  accountID: null,
  detail: {},
};

/** As execution refuses an instance that does not exist or that the viewer may not see. */
const instanceNotFound = () => new ApiError('INSTANCE_NOT_FOUND', 'instanceID: no such instance');

type FeedRequest = RequestsOf<typeof execution>['auditFeed'];
type ListRequest = Omit<RequestsOf<typeof execution>['instances'], 'before'> & { before?: string | number };

/** Stands in for the execution service: records the requests and answers as the test configures. */
@Controller()
export class FakeExecution {
  static readonly instance = INSTANCE;
  static readonly line = LOG_LINE;
  static readonly event = AUDIT_EVENT;
  static readonly run = RUN;
  static readonly creditEntry = CREDIT_ENTRY;
  static readonly statistics = STATISTICS;

  readonly balances = new Map<string, number>();
  readonly corrections: RequestsOf<typeof execution>['correctCredits'][] = [];
  readonly feedRequests: FeedRequest[] = [];
  /** The audit trail of every process. */
  trail: AuditEvent[] = [AUDIT_EVENT];
  /** The events of instances in the feed of the audit trail. */
  readonly feed: AuditFeedEvent[] = [];
  readonly starts: StartRequest[] = [];
  readonly runRequests: RequestsOf<typeof execution>['runs'][] = [];
  /** The runs of the first page that answers requests for runs; that page says that there is an older one. */
  runsOfFirstPage: Run[] = [RUN];
  /** The runs of the second and last page. */
  runsOfLastPage: Run[] = [];
  statisticsReply = STATISTICS;
  readonly statisticsRequests: RequestsOf<typeof execution>['statistics'][] = [];
  readonly entryRequests: RequestsOf<typeof execution>['creditEntries'][] = [];
  readonly dryRuns: RequestsOf<typeof execution>['dryRun'][] = [];
  readonly controls: RequestsOf<typeof execution>['control'][] = [];
  controlRefusal: ApiError | undefined;
  readonly viewers: Viewer[] = [];
  /** The `limit` of each request for log lines. */
  readonly logLimits: number[] = [];
  /** The requests for the instances and for the audit trail of a process. */
  readonly listRequests: ListRequest[] = [];
  /** What the reply of `instances` says of older ones. */
  olderInstances: { older?: { before: string }; olderTime?: string } = {};
  readonly changedEnvironments: string[] = [];
  /** The requests for the number of queued and running instances of a process or environment. */
  readonly inUseRequests: { environmentID?: string; processID?: string }[] = [];
  /** The number in the replies to these requests. */
  inUseCount = 0;
  readonly recordedAudits: RequestsOf<typeof execution>['recordAudit'][] = [];
  /** True: audit events are refused with UNAVAILABLE. */
  auditFails = false;
  /** Runs before an audit event is recorded. */
  beforeAudit: (processID: string) => Promise<unknown> = async () => {};
  runDetailsReply: RunDetails = { run: RUN, values: [] };
  /** The reply to requests for news: the state of the instance and its log lines. */
  newsReply: InstanceNews = { body: INSTANCE, lines: [] };
  startReply: StartReply['status'] | ApiError = 'started';
  /** How many of the next starts get no answer. */
  unanswered = 0;

  @Handles(execution.start)
  async start(request: StartRequest): Promise<StartReply> {
    this.starts.push(request);
    if (this.unanswered-- > 0) throw new ApiError('UNAVAILABLE');
    if (this.startReply instanceof ApiError) throw this.startReply;
    return { instanceID: request.instanceID, status: this.startReply };
  }

  @Handles(execution.dryRun)
  async dryRun(request: RequestsOf<typeof execution>['dryRun']): Promise<DryRunReply> {
    this.dryRuns.push(request);
    return { matrix: { total: 10.5 }, refusals: [], status: 'started' };
  }

  @Handles(execution.control)
  async control(request: RequestsOf<typeof execution>['control']): Promise<{ ok: true; action: ControlAction }> {
    this.controls.push(request);
    if (request.instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    if (this.controlRefusal) throw this.controlRefusal;
    return { ok: true, action: request.action };
  }

  @Handles(execution.instance)
  async instance({ instanceID, viewer }: { instanceID: string; viewer: Viewer }): Promise<InstanceBody> {
    this.viewers.push(viewer);
    if (instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    return INSTANCE;
  }

  @Handles(execution.logs)
  async logs({ instanceID, viewer, limit }: { instanceID: string; viewer: Viewer; limit: number }) {
    this.viewers.push(viewer);
    this.logLimits.push(limit);
    if (instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    return { logs: [LOG_LINE] };
  }

  @Handles(execution.evidence)
  async evidence({ instanceID, evidenceID, viewer }: RequestsOf<typeof execution>['evidence']): Promise<EvidencePage> {
    this.viewers.push(viewer);
    if (instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    return { mediaType: 'image/png', bytes: evidenceID.length, data: Buffer.from(evidenceID).toString('base64') };
  }

  @Handles(execution.news)
  async news({ instanceID, viewer, after }: RequestsOf<typeof execution>['news']): Promise<InstanceNews> {
    this.viewers.push(viewer);
    if (instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    return { body: this.newsReply.body, lines: this.newsReply.lines.filter(({ line }) => line > after) };
  }

  @Handles(execution.runs)
  async runs(request: RequestsOf<typeof execution>['runs']): Promise<RunListPage> {
    this.runRequests.push(request);
    if (request.before !== undefined) return { runs: this.runsOfLastPage };
    return { runs: this.runsOfFirstPage, older: { before: 'cursor' } };
  }

  @Handles(execution.runDetails)
  async runDetails({ instanceID, viewer }: RequestsOf<typeof execution>['runDetails']): Promise<RunDetails> {
    this.viewers.push(viewer);
    if (instanceID !== INSTANCE.instanceID) throw instanceNotFound();
    return this.runDetailsReply;
  }

  @Handles(execution.statistics)
  async statistics(request: RequestsOf<typeof execution>['statistics']): Promise<Statistics> {
    this.statisticsRequests.push(request);
    return this.statisticsReply;
  }

  @Handles(execution.load)
  async load({ environmentIDs }: { environmentIDs: string[] }): Promise<{ environments: EnvironmentLoad[] }> {
    return { environments: environmentIDs.map((environmentID) => ({ environmentID, queued: 2, running: 1 })) };
  }

  @Handles(execution.instances)
  async instances(
    request: ListRequest,
  ): Promise<{ instances: InstanceBody[]; older?: { before: string }; olderTime?: string }> {
    this.listRequests.push(request);
    return { instances: [INSTANCE], ...this.olderInstances };
  }

  @Handles(execution.audit)
  async audit(request: ListRequest): Promise<{ events: AuditEvent[] }> {
    this.listRequests.push(request);
    return { events: this.trail };
  }

  @Handles(execution.auditFeed)
  async auditFeed(request: FeedRequest): Promise<{ events: AuditFeedEvent[]; more: boolean }> {
    this.feedRequests.push(request);
    const { companyID, after, limit } = request;
    const events = this.feed.filter((event) => event.id > after && (companyID ?? event.companyID) === event.companyID);
    return { events: events.slice(0, limit), more: events.length > limit };
  }

  @Handles(execution.recordAudit)
  async recordAudit(event: RequestsOf<typeof execution>['recordAudit']): Promise<{ ok: true }> {
    if (this.auditFails) throw new ApiError('UNAVAILABLE');
    await this.beforeAudit(event.processID);
    this.recordedAudits.push(event);
    return { ok: true };
  }

  @Handles(execution.credits)
  async credits({ companyIDs }: { companyIDs: string[] }): Promise<{ balances: Record<string, number> }> {
    return { balances: Object.fromEntries(companyIDs.map((id) => [id, this.balances.get(id) ?? 0])) };
  }

  @Handles(execution.creditEntries)
  async creditEntries(request: RequestsOf<typeof execution>['creditEntries']): Promise<{ entries: CreditEntry[] }> {
    this.entryRequests.push(request);
    return { entries: [CREDIT_ENTRY] };
  }

  @Handles(execution.setCredits)
  async setCredits({ companyID, credits }: { companyID: string; credits: number }): Promise<{ balance: number }> {
    this.balances.set(companyID, credits);
    return { balance: credits };
  }

  @Handles(execution.correctCredits)
  async correctCredits(correction: RequestsOf<typeof execution>['correctCredits']): Promise<{ balance: number }> {
    const { companyID, credits, add = 0 } = correction;
    this.corrections.push(correction);
    const balance = credits ?? (this.balances.get(companyID) ?? 0) + add;
    this.balances.set(companyID, balance);
    return { balance };
  }

  @Handles(execution.inUse)
  async inUse({ environmentID, processID }: { environmentID?: string; processID?: string }) {
    this.inUseRequests.push({ environmentID, processID });
    return { active: this.inUseCount };
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
