import type { OfferFrame, ReportEnd, ReportFrame, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import type { DesiredState } from '@batuta/contracts';
import { withTrace } from '@batuta/logging';
import { isTracing, recordSpan, startSpan, type Span } from '@batuta/tracing';
import { Control } from '../execution/control';
import type { EndedStep } from '../execution/effects';
import { ReportUploadQueue } from './report-upload-queue';

/** Where a flow delivers its log lines and its answer to a waiting caller. */
export interface ReportSink {
  /** Resolves when the next line may follow. */
  log: (line: ReportLine) => Promise<void>;
  answer: (response: ReportResponse) => void;
  /** Present when the execution is traced. */
  stepEnded?: (step: EndedStep) => void;
}

/** Runs the offered flow to its end; never rejects. */
export type RunInstance = (offer: OfferFrame, control: Control, sink: ReportSink) => Promise<ReportEnd>;

/**
 * How long lines are batched before they are sent, which halves the reports of a short flow. An answer and the end are
 * sent without this delay.
 */
const BATCH_DELAY_MS = 20;
/**
 * The longer batch delay while a caller waits: an answer would have to wait for the acknowledgement of lines in flight.
 */
const AWAITED_BATCH_DELAY_MS = 200;

const FAILURES: ReadonlySet<string> = new Set(['ERROR', 'CRASHED', 'STEP_LIMIT_REACHED']);

/** One accepted instance, until its end is acknowledged or the instance is dropped. */
export class AcceptedInstance {
  /** Resolves when the flow has ended, or at once while it has not begun. */
  flowEnd: Promise<void> = Promise.resolve();
  private readonly control = new Control();
  private readonly reports: ReportUploadQueue;
  private stage: 'accepted' | 'running' | 'ended' = 'accepted';
  private crashEnd: ReportEnd | undefined;
  /** Number of the report that is in flight on the present connection; 0 = none. */
  private sentSeq = 0;
  private batchTimer: NodeJS.Timeout | undefined;
  private batchMs: number;
  /** The span from the grant to the end; only for a traced instance. */
  private span: Span | undefined;

  constructor(
    readonly offer: OfferFrame,
    private readonly run: RunInstance,
    /** Called when the instance has something to report. */
    private readonly onReport: (instance: AcceptedInstance) => void,
  ) {
    this.reports = new ReportUploadQueue({ instanceID: offer.instanceID, fence: offer.fence });
    this.batchMs = offer.awaited ? AWAITED_BATCH_DELAY_MS : BATCH_DELAY_MS;
  }

  get fence(): number {
    return this.offer.fence;
  }

  /** Stays true after the end. */
  get hasBegun(): boolean {
    return this.stage !== 'accepted';
  }

  /** Whether the instance counts toward the agent's capacity. */
  get isActive(): boolean {
    return this.stage !== 'ended' && !this.reports.isClosed;
  }

  /** Whether the end is acknowledged, or the instance was dropped. */
  get isDone(): boolean {
    return this.reports.isClosed;
  }

  /** Begins the instance, or continues it if it has begun, with the desired state. The router has just granted it. */
  begin(desired: DesiredState, graceMs: number): void {
    this.noteContact(graceMs);
    this.control.setSuspended(false);
    this.control.setDesired(desired);
    if (this.hasBegun) return;
    this.stage = 'running';
    this.flowEnd = this.runToEnd();
  }

  setDesired(desired: DesiredState): void {
    this.control.setDesired(desired);
  }

  /** Begins the grace period again. */
  noteContact(graceMs: number): void {
    this.control.setContact({ at: Date.now(), graceMs });
  }

  /** Lets the flow begin no further effect until the next grant. */
  suspend(): void {
    this.control.setSuspended(true);
  }

  /** Stops the flow because the agent shuts down; once it has stopped, the instance is reported as crashed. Does nothing unless the flow runs. */
  crash(errorMessage: string): void {
    if (this.stage !== 'running') return;
    this.crashEnd = { outcome: 'CRASHED', errorStep: null, errorMessage };
    this.control.setDesired('stop');
  }

  /**
   * Gives the instance up: stops its flow if it has begun, and discards its reports. Called when the instance is not or no longer granted to
   * this agent, when a report is refused or invalid, and when the agent ends.
   */
  drop(): void {
    clearTimeout(this.batchTimer);
    this.reports.close();
    this.control.drop();
  }

  /** The report to send now; undefined while one is in flight on this connection, or if there is nothing to report. */
  nextReport(): ReportFrame | undefined {
    const report = this.reports.current();
    if (!report || report.seq === this.sentSeq) return undefined;
    return this.span ? { ...report, traceparent: this.span.trace.traceparent } : report;
  }

  reportSent({ seq }: ReportFrame): void {
    this.sentSeq = seq;
  }

  /** The report in flight may be lost; it is sent again on the next connection. */
  onDisconnect(): void {
    this.sentSeq = 0;
  }

  acknowledge(seq: number): void {
    this.reports.acknowledge(seq);
  }

  private async runToEnd(): Promise<void> {
    const { instanceID, processID, traceparent } = this.offer;
    const attributes = { 'batuta.instance.id': instanceID, 'batuta.process.id': processID };
    const span = isTracing() ? startSpan({ name: 'execution', attributes }, traceparent ?? null) : undefined;
    this.span = span;
    // Without `traceparent` the OS process of the execution sends no times of steps.
    if (!span) this.offer.traceparent = undefined;
    const run = () =>
      this.run(this.offer, this.control, {
        log: (line) => this.log(line),
        answer: (response) => this.answer(response),
        ...(span && { stepEnded: (step) => recordStep(step, span) }),
      });
    const end = await (span ? withTrace(span.trace, run) : run());
    const { outcome } = this.crashEnd ?? end;
    span?.end({ attributes: { 'batuta.outcome': outcome }, ...(FAILURES.has(outcome) && { error: outcome }) });
    this.stage = 'ended';
    clearTimeout(this.batchTimer);
    this.reports.finish(this.crashEnd ?? end);
    this.onReport(this);
  }

  private log(line: ReportLine): Promise<void> {
    const added = this.reports.add(line);
    this.batchTimer ??= setTimeout(() => {
      this.batchTimer = undefined;
      this.onReport(this);
    }, this.batchMs);
    return added;
  }

  /**
   * The answer is sent in the next turn of the event loop, so that a flow that ends right after it needs one report for
   * answer and end.
   */
  private answer(response: ReportResponse): void {
    this.reports.answer(response);
    this.batchMs = BATCH_DELAY_MS;
    clearTimeout(this.batchTimer);
    this.batchTimer = undefined;
    setImmediate(() => this.onReport(this));
  }
}

function recordStep({ name, type, began, ended, failed }: EndedStep, { trace }: Span): void {
  const attributes = { 'batuta.step.name': name, 'batuta.step.type': type };
  const end = { at: ended, ...(failed && { error: 'step failed' }) };
  recordSpan({ name: `step ${name}`, at: began, attributes }, end, trace.traceparent);
}
