import type { OfferFrame, ReportEnd, ReportFrame, ReportLine, ReportResponse } from '@batuta/agent-protocol';
import type { DesiredState } from '@batuta/contracts';
import { Control } from '../flow/control';
import { ReportUploadQueue } from './report-upload-queue';

/** Where a flow delivers its log lines and its answer to a waiting caller. */
export interface ReportSink {
  log: (line: ReportLine) => Promise<void>;
  answer: (response: ReportResponse) => void;
}

/** Runs the offered flow to its end; never rejects. */
export type RunInstance = (offer: OfferFrame, control: Control, sink: ReportSink) => Promise<ReportEnd>;

/** Delay in which lines are batched, which halves the reports of a short flow. An answer and the end are not delayed. */
const BATCH_MS = 20;
/** The longer delay while a caller waits: a report of lines in flight would hold back the answer behind it. */
const AWAITED_BATCH_MS = 200;

/** One instance from its acceptance until its end is acknowledged or the instance is dropped. */
export class AcceptedInstance {
  private readonly control = new Control();
  private readonly reports: ReportUploadQueue;
  private stage: 'accepted' | 'running' | 'ended' = 'accepted';
  private crashEnd: ReportEnd | undefined;
  /** Number of the report that is in flight on the present connection; 0 = none. */
  private sentSeq = 0;
  private batchTimer: NodeJS.Timeout | undefined;
  private batchMs: number;

  constructor(
    readonly offer: OfferFrame,
    private readonly run: RunInstance,
    /** Called when there is something to report. */
    private readonly onReport: (instance: AcceptedInstance) => void,
  ) {
    this.reports = new ReportUploadQueue({ instanceID: offer.instanceID, fence: offer.fence });
    this.batchMs = offer.awaited ? AWAITED_BATCH_MS : BATCH_MS;
  }

  get fence(): number {
    return this.offer.fence;
  }

  get hasBegun(): boolean {
    return this.stage !== 'accepted';
  }

  /** Whether the instance counts against the agent's capacity. */
  get isActive(): boolean {
    return this.stage !== 'ended' && !this.reports.isClosed;
  }

  get isDone(): boolean {
    return this.reports.isClosed;
  }

  /** Begins the instance, unless it has begun; sets its desired state in any case. */
  begin(desired: DesiredState): void {
    this.control.setDesired(desired);
    if (this.hasBegun) return;
    this.stage = 'running';
    void this.runToEnd();
  }

  setDesired(desired: DesiredState): void {
    this.control.setDesired(desired);
  }

  /** Stops the flow because the agent shuts down, and reports the instance as crashed. */
  crash(errorMessage: string): void {
    if (this.stage !== 'running') return;
    this.crashEnd = { outcome: 'CRASHED', errorStep: null, errorMessage };
    this.control.setDesired('stop');
  }

  /** Stops the flow and discards its reports, which the service would refuse. */
  drop(): void {
    clearTimeout(this.batchTimer);
    this.reports.close();
    this.control.drop();
  }

  /** The report to send now; undefined while one is in flight on this connection. */
  nextReport(): ReportFrame | undefined {
    const report = this.reports.current();
    return report && report.seq !== this.sentSeq ? report : undefined;
  }

  reportSent({ seq }: ReportFrame): void {
    this.sentSeq = seq;
  }

  /** The report in flight may be lost, so the next connection repeats it. */
  disconnected(): void {
    this.sentSeq = 0;
  }

  acknowledge(seq: number): void {
    this.reports.acknowledge(seq);
  }

  private async runToEnd(): Promise<void> {
    const end = await this.run(this.offer, this.control, {
      log: (line) => this.log(line),
      answer: (response) => this.answer(response),
    });
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

  /** Sent in the next turn of the event loop, so that the report of a flow that ends at once carries answer and end. */
  private answer(response: ReportResponse): void {
    this.reports.answer(response);
    this.batchMs = BATCH_MS;
    clearTimeout(this.batchTimer);
    this.batchTimer = undefined;
    setImmediate(() => this.onReport(this));
  }
}
