import {
  MAX_REPORT_LINES,
  type HeldInstance,
  type ReportEnd,
  type ReportFrame,
  type ReportLine,
  type ReportResponse,
} from '@batuta/contracts';

/** Bytes of lines in one report; far below the largest frame, whatever one line holds. */
const REPORT_BYTES = 1024 * 1024;
/** Beyond these the flow waits until earlier lines are acknowledged. */
const MOST_QUEUED_LINES = 1_000;
const MOST_QUEUED_BYTES = 2 * 1024 * 1024;

/**
 * What one execution has to tell, as numbered reports: one on its way at a time, the lines that come up meanwhile gather
 * into the next. A report stays until it is acknowledged, so that a broken connection loses nothing.
 */
export class ReportQueue {
  private readonly lines: { line: ReportLine; bytes: number }[] = [];
  private queuedBytes = 0;
  private response: ReportResponse | undefined;
  private end: ReportEnd | undefined;
  private seq = 0;
  private flight: ReportFrame | undefined;
  private closed = false;
  private waiting: (() => void)[] = [];

  constructor(private readonly held: HeldInstance) {}

  /** Returns once there is room for another line. */
  async add(line: ReportLine): Promise<void> {
    if (this.closed) return;
    const bytes = Buffer.byteLength(JSON.stringify(line));
    this.lines.push({ line, bytes });
    this.queuedBytes += bytes;
    while (!this.closed && this.isFull) {
      await new Promise<void>((resolve) => {
        this.waiting.push(resolve);
      });
    }
  }

  /** Goes with the next report, however many lines still stand before it: somebody waits for it. */
  answer(response: ReportResponse): void {
    this.response = response;
  }

  /** No line comes after the end. */
  finish(end: ReportEnd): void {
    this.end = end;
  }

  /** The report to be sent now: the unacknowledged one again, else the next; undefined when all is told. */
  current(): ReportFrame | undefined {
    this.flight ??= this.gather();
    return this.flight;
  }

  /** Whether this acknowledgement was of the report on its way; a late or repeated one is not. */
  acknowledge(seq: number): boolean {
    if (this.flight?.seq !== seq) return false;
    if (this.flight.end) this.closed = true;
    this.flight = undefined;
    this.wakeAll();
    return true;
  }

  /** Everything, the end included, was acknowledged, or nobody wants to hear it. */
  get isClosed(): boolean {
    return this.closed;
  }

  close(): void {
    this.closed = true;
    this.flight = undefined;
    this.response = undefined;
    this.lines.length = 0;
    this.wakeAll();
  }

  private get isFull(): boolean {
    return this.lines.length > MOST_QUEUED_LINES || this.queuedBytes > MOST_QUEUED_BYTES;
  }

  private gather(): ReportFrame | undefined {
    if (this.closed || (this.lines.length === 0 && !this.response && !this.end)) return undefined;
    const lines = this.takeLines();
    this.seq += 1;
    const report: ReportFrame = { type: 'report', ...this.held, seq: this.seq, lines };
    if (this.response) report.response = this.response;
    this.response = undefined;
    if (this.end && this.lines.length === 0) report.end = this.end;
    this.wakeAll();
    return report;
  }

  private takeLines(): ReportLine[] {
    let count = 0;
    let bytes = 0;
    for (const line of this.lines) {
      if (count === MAX_REPORT_LINES || (count > 0 && bytes + line.bytes > REPORT_BYTES)) break;
      count += 1;
      bytes += line.bytes;
    }
    this.queuedBytes -= bytes;
    return this.lines.splice(0, count).map(({ line }) => line);
  }

  private wakeAll(): void {
    for (const wake of this.waiting.splice(0)) wake();
  }
}
