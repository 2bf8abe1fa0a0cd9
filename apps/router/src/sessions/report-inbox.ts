import type { ReportFrame } from '@batuta/agent-protocol';
import type { Reservation } from '@batuta/async';

interface WaitingReport {
  report: ReportFrame;
  bytes: number;
}

/**
 * Limits of the reports of one session that wait for execution; at either limit the router stops reading the session's
 * socket.
 */
export const INBOX_LIMITS = { reports: 1_000, bytes: 8 * 1024 * 1024 };

/** The reports of one session that execution has not stored yet, in order for each instance. */
export class ReportInbox {
  private readonly instances = new Map<string, WaitingReport[]>();
  private reports = 0;
  private bytes = 0;
  private isWithinLimits = true;

  /** `memory` counts the reports of all sessions of the environment. */
  constructor(private readonly memory?: Reservation) {}

  /** Adds a report; returns true when it is the instance's only one, so that the caller must start forwarding. */
  add(report: ReportFrame, bytes: number): boolean {
    const waiting = this.instances.get(report.instanceID) ?? [];
    this.instances.set(report.instanceID, waiting);
    waiting.push({ report, bytes });
    this.reports += 1;
    this.bytes += bytes;
    this.updateMemory();
    return waiting.length === 1;
  }

  /** The instance's oldest report; it stays until `removeOldest`. */
  oldest(instanceID: string): ReportFrame | undefined {
    return this.instances.get(instanceID)?.[0]?.report;
  }

  removeOldest(instanceID: string): void {
    const waiting = this.instances.get(instanceID);
    const first = waiting?.shift();
    if (first) this.subtract([first]);
    if (waiting?.length === 0) this.instances.delete(instanceID);
  }

  /** Removes all reports of an instance. */
  removeAll(instanceID: string): void {
    this.subtract(this.instances.get(instanceID) ?? []);
    this.instances.delete(instanceID);
  }

  get size(): number {
    return this.reports;
  }

  /** True when the socket must be paused. */
  get isFull(): boolean {
    return this.reports >= INBOX_LIMITS.reports || this.bytes >= INBOX_LIMITS.bytes;
  }

  /** False when the reports of the environment, of its company or of all environments exceed their limit. */
  get fitsMemory(): boolean {
    return this.isWithinLimits;
  }

  /** Releases the memory of all reports when the session ends; the agent sends them again. */
  release(): void {
    this.memory?.release();
  }

  /** True when the socket may be read again: at half of the limits or below, so that the socket does not pause at every report. */
  get hasSlack(): boolean {
    return this.reports <= INBOX_LIMITS.reports / 2 && this.bytes <= INBOX_LIMITS.bytes / 2;
  }

  private subtract(removed: readonly WaitingReport[]): void {
    this.reports -= removed.length;
    for (const { bytes } of removed) this.bytes -= bytes;
    this.updateMemory();
  }

  private updateMemory(): void {
    this.isWithinLimits = this.memory?.resize(this.bytes) ?? true;
  }
}
