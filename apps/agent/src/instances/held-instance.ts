import type { DesiredState, OfferFrame, ReportEnd, ReportFrame, ReportLine, ReportResponse } from '@batuta/contracts';
import { Control } from '../flow/control';
import { ReportQueue } from './report-queue';

/** How a flow tells what happens in it. */
export interface Telling {
  log: (line: ReportLine) => Promise<void>;
  answer: (response: ReportResponse) => void;
}

/** Runs the offered flow to its end; never rejects. */
export type RunInstance = (offer: OfferFrame, control: Control, telling: Telling) => Promise<ReportEnd>;

/** Lines wait this long for company, which halves the reports of a short flow; an answer and the end never wait. */
const GATHER_MILLISECONDS = 20;
/** The same while a caller waits: a report of mere lines on its way would keep back the answer behind it. */
const AWAITED_GATHER_MILLISECONDS = 200;

/** One instance from its acceptance until its end is acknowledged or it is dropped. */
export class HeldInstance {
  private readonly control = new Control();
  private readonly reports: ReportQueue;
  private stage: 'accepted' | 'running' | 'ended' = 'accepted';
  private crashed: ReportEnd | undefined;
  private sentSeq = 0;
  private timer: NodeJS.Timeout | undefined;
  private gatherMilliseconds: number;

  constructor(
    readonly offer: OfferFrame,
    private readonly run: RunInstance,
    /** Called when there is something to report. */
    private readonly hasNews: (instance: HeldInstance) => void,
  ) {
    this.reports = new ReportQueue({ instanceID: offer.instanceID, fence: offer.fence });
    this.gatherMilliseconds = offer.awaited ? AWAITED_GATHER_MILLISECONDS : GATHER_MILLISECONDS;
  }

  get fence(): number {
    return this.offer.fence;
  }

  get hasBegun(): boolean {
    return this.stage !== 'accepted';
  }

  /** Whether it takes a place of the agent's capacity. */
  get isActive(): boolean {
    return this.stage !== 'ended' && !this.reports.isClosed;
  }

  get isDone(): boolean {
    return this.reports.isClosed;
  }

  /** Begins it; one that runs already only learns what is wanted of it now. */
  begin(desired: DesiredState): void {
    this.control.want(desired);
    if (this.hasBegun) return;
    this.stage = 'running';
    void this.toEnd();
  }

  want(desired: DesiredState): void {
    this.control.want(desired);
  }

  /** Stops what runs because the agent itself ends, and tells it so. */
  crash(errorMessage: string): void {
    if (this.stage !== 'running') return;
    this.crashed = { outcome: 'CRASHED', errorStep: null, errorMessage };
    this.control.want('stop');
  }

  /** Stops what runs and forgets what it had to tell: nobody will accept it. */
  drop(): void {
    clearTimeout(this.timer);
    this.reports.close();
    this.control.drop();
  }

  /** The report to send now, or nothing while one is on its way on this connection. */
  toSend(): ReportFrame | undefined {
    const report = this.reports.current();
    return report && report.seq !== this.sentSeq ? report : undefined;
  }

  sent(report: ReportFrame): void {
    this.sentSeq = report.seq;
  }

  /** What was sent on the old connection may be lost: it is sent again on the next. */
  disconnected(): void {
    this.sentSeq = 0;
  }

  acknowledge(seq: number): void {
    this.reports.acknowledge(seq);
  }

  private async toEnd(): Promise<void> {
    const end = await this.run(this.offer, this.control, {
      log: (line) => this.log(line),
      answer: (response) => this.answer(response),
    });
    this.stage = 'ended';
    clearTimeout(this.timer);
    this.reports.finish(this.crashed ?? end);
    this.hasNews(this);
  }

  private log(line: ReportLine): Promise<void> {
    const room = this.reports.add(line);
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.hasNews(this);
    }, this.gatherMilliseconds);
    return room;
  }

  /** Sent as soon as the flow lets go of the thread, so that a flow that ends right away tells both in one report. */
  private answer(response: ReportResponse): void {
    this.reports.answer(response);
    this.gatherMilliseconds = GATHER_MILLISECONDS;
    clearTimeout(this.timer);
    this.timer = undefined;
    setImmediate(() => this.hasNews(this));
  }
}
