import {
  MAX_REPORT_LINES,
  type ReportEnd,
  type ReportFrame,
  type ReportLine,
  type ReportResponse,
} from '@batuta/agent-protocol';
import type { HeldInstance } from '@batuta/contracts';

/**
 * Maximum bytes of the lines in one report, unless a single line is longer; as many as a part of a picture has. A connection of 300 kbit/s takes
 * 7 s for it. Heartbeats wait behind a report: a much larger one would break the connection, and the agent would repeat it without end.
 */
const MAX_BATCH_BYTES = 256 * 1024;
/**
 * Maximum number of lines that wait for a report; above it, or above MAX_QUEUED_BYTES, the flow waits until the next report has taken
 * some. The lines of the report in flight do not count.
 */
const MAX_QUEUED_LINES = 1_000;
const MAX_QUEUED_BYTES = 2 * 1024 * 1024;

/**
 * The numbered reports of one execution. One report is in flight at a time; lines that are added meanwhile are batched in
 * the next. A report stays until its acknowledgement, so that a broken connection loses nothing.
 */
export class ReportUploadQueue {
  private readonly lines: { line: ReportLine; bytes: number }[] = [];
  private queuedBytes = 0;
  private response: ReportResponse | undefined;
  private end: ReportEnd | undefined;
  private seq = 0;
  private inFlight: ReportFrame | undefined;
  private closed = false;
  private waiters: (() => void)[] = [];

  constructor(private readonly instance: HeldInstance) {}

  /** Queues a line. Resolves when the queue has room for another one, or is closed; a closed queue ignores the line. */
  async add(line: ReportLine): Promise<void> {
    if (this.closed) return;
    const bytes = Buffer.byteLength(JSON.stringify(line));
    this.lines.push({ line, bytes });
    this.queuedBytes += bytes;
    while (!this.closed && this.isFull) {
      await new Promise<void>((resolve) => {
        this.waiters.push(resolve);
      });
    }
  }

  /** Puts the answer into the next report, even if older lines are still queued, because a caller waits for it. */
  answer(response: ReportResponse): void {
    this.response = response;
  }

  /** Queues the last report, which carries `end`; no line may be added after this call. */
  finish(end: ReportEnd): void {
    this.end = end;
  }

  /** The report to send: the report in flight, or else the next report; undefined when there is nothing to report. */
  current(): ReportFrame | undefined {
    this.inFlight ??= this.nextReport();
    return this.inFlight;
  }

  /** Returns false for an acknowledgement that is late or repeated, which belongs to no report in flight. */
  acknowledge(seq: number): boolean {
    if (this.inFlight?.seq !== seq) return false;
    if (this.inFlight.end) this.closed = true;
    this.inFlight = undefined;
    this.wakeAll();
    return true;
  }

  /** Whether every report, the end included, is acknowledged, or the instance was dropped. */
  get isClosed(): boolean {
    return this.closed;
  }

  /** Discards all reports. */
  close(): void {
    this.closed = true;
    this.inFlight = undefined;
    this.response = undefined;
    this.lines.length = 0;
    this.wakeAll();
  }

  private get isFull(): boolean {
    return this.lines.length > MAX_QUEUED_LINES || this.queuedBytes > MAX_QUEUED_BYTES;
  }

  private nextReport(): ReportFrame | undefined {
    if (this.closed || (this.lines.length === 0 && !this.response && !this.end)) return undefined;
    const lines = this.takeBatch();
    this.seq += 1;
    const report: ReportFrame = { type: 'report', ...this.instance, seq: this.seq, lines };
    if (this.response) report.response = this.response;
    this.response = undefined;
    if (this.end && this.lines.length === 0) report.end = this.end;
    this.wakeAll();
    return report;
  }

  private takeBatch(): ReportLine[] {
    let count = 0;
    let bytes = 0;
    for (const line of this.lines) {
      if (count === MAX_REPORT_LINES || (count > 0 && bytes + line.bytes > MAX_BATCH_BYTES)) break;
      count += 1;
      bytes += line.bytes;
    }
    this.queuedBytes -= bytes;
    return this.lines.splice(0, count).map(({ line }) => line);
  }

  private wakeAll(): void {
    for (const wake of this.waiters.splice(0)) wake();
  }
}
