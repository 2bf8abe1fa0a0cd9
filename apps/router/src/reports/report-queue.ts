import type { ReportFrame } from '@batuta/contracts';

interface Waiting {
  report: ReportFrame;
  bytes: number;
}

/** Reports and bytes of one session that may wait for execution before its socket is read no further. */
const MAX_REPORTS = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;

/** What a session's agent reported and execution has not taken yet: in order for each instance. */
export class ReportQueue {
  private readonly instances = new Map<string, Waiting[]>();
  private reports = 0;
  private bytes = 0;

  /** True when it is the instance's only one, so that somebody must begin to forward. */
  add(report: ReportFrame, bytes: number): boolean {
    const line = this.instances.get(report.instanceID) ?? [];
    this.instances.set(report.instanceID, line);
    line.push({ report, bytes });
    this.reports += 1;
    this.bytes += bytes;
    return line.length === 1;
  }

  /** The instance's oldest; it stays until `done`. */
  next(instanceID: string): ReportFrame | undefined {
    return this.instances.get(instanceID)?.[0]?.report;
  }

  done(instanceID: string): void {
    const line = this.instances.get(instanceID);
    const first = line?.shift();
    if (first) this.forget([first]);
    if (line?.length === 0) this.instances.delete(instanceID);
  }

  /** Forgets all that waits of an instance. */
  drop(instanceID: string): void {
    this.forget(this.instances.get(instanceID) ?? []);
    this.instances.delete(instanceID);
  }

  get size(): number {
    return this.reports;
  }

  /** Read no further. */
  get full(): boolean {
    return this.reports >= MAX_REPORTS || this.bytes >= MAX_BYTES;
  }

  /** Read on: well below the bound, so that the socket does not flutter. */
  get slack(): boolean {
    return this.reports <= MAX_REPORTS / 2 && this.bytes <= MAX_BYTES / 2;
  }

  private forget(gone: readonly Waiting[]): void {
    this.reports -= gone.length;
    for (const { bytes } of gone) this.bytes -= bytes;
  }
}
