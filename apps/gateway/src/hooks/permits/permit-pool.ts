import { webhook } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { withRequestID } from '@batuta/observability';
import { PeriodicTasks, type PeriodicTask } from '@batuta/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { WaiterPermits, type Permit } from './waiter-permits';

/** Interval of the sweep, which returns permits that have been free since the previous sweep. */
const SWEEP_INTERVAL_MS = 250;
/** A renewal without a reply in this time counts as failed; the next sweep repeats it. */
const RENEWAL_TIMEOUT_MS = 1_000;

/**
 * Leases permits for waiting calls, of which each process has a limited number over all replicas (interpretation 29).
 * This replica requests missing permits for its calls, passes released permits on to other calls of the process, and renews the number
 * that it holds every few seconds. The next renewal, or the end of the lease, corrects the effect of a lost message.
 */
@Injectable()
export class PermitPool implements OnApplicationShutdown {
  /** The id by which the webhook service knows this replica until it stops. */
  private readonly holder = uuid();
  /** The sequence number of this replica's last request to the webhook service, which ignores a request that arrives after a later one. */
  private turn = 0;
  private readonly processes = new Map<string, WaiterPermits>();
  private sweeps: PeriodicTask | undefined;

  constructor(
    private readonly rpc: Rpc,
    private readonly tasks: PeriodicTasks,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>,
  ) {}

  /** Gets a permit of the process; resolves with undefined when all are leased, or the webhook service does not reply. */
  acquire(processID: string): Promise<Permit | undefined> {
    const permits = this.permitsOf(processID);
    const permit = permits.acquire();
    this.requestIfNeeded(permits);
    return permit;
  }

  /** Returns every permit, because all calls have ended. */
  async onApplicationShutdown(): Promise<void> {
    await this.sweeps?.stop();
    const all = [...this.processes.values()];
    for (const permits of all) permits.lose();
    if (all.length > 0) await this.renew(all);
  }

  private permitsOf(processID: string): WaiterPermits {
    const known = this.processes.get(processID);
    if (known) return known;
    const permits = new WaiterPermits(processID);
    this.processes.set(processID, permits);
    this.sweeps ??= this.tasks.every('permits of waiting calls', SWEEP_INTERVAL_MS, () => this.sweep(), {
      whileDraining: true,
    });
    return permits;
  }

  // Runs outside of the call's context: the request serves all calls in the queue and must not carry the first one's
  // request id.
  private requestIfNeeded(permits: WaiterPermits): void {
    if (permits.hasQueue && !permits.requestInFlight) void withRequestID(undefined, () => this.request(permits));
  }

  /** Single flight: calls that arrive during a request are served by the next one. */
  private async request(permits: WaiterPermits): Promise<void> {
    const { processID } = permits;
    permits.requestInFlight = true;
    while (permits.hasQueue) {
      const requestedAt = performance.now();
      const request = { ...this.nextTurn(), processID, want: permits.beginRequest() };
      await this.rpc.call(webhook.acquirePermits, request, { timeout: this.config.READ_TIMEOUT_MS }).then(
        ({ granted }) => permits.addPermits(granted, requestedAt),
        () => permits.recordFailedRequest(),
      );
    }
    permits.requestInFlight = false;
  }

  private async sweep(): Promise<void> {
    const due: WaiterPermits[] = [];
    for (const permits of this.processes.values()) {
      if (permits.isUnused) this.processes.delete(permits.processID);
      else if (!permits.requestInFlight && permits.sweep()) due.push(permits);
    }
    if (due.length > 0) await this.renew(due);
    if (this.processes.size > 0) return;
    void this.sweeps?.stop();
    this.sweeps = undefined;
  }

  private async renew(due: WaiterPermits[]): Promise<void> {
    const sentAt = performance.now();
    const places = due.map(({ processID, held }) => ({ processID, count: held }));
    for (const permits of due) permits.requestInFlight = true;
    await this.rpc.call(webhook.renewPermits, { ...this.nextTurn(), places }, { timeout: RENEWAL_TIMEOUT_MS }).then(
      ({ gone }) => applyRenewal(due, new Set(gone), sentAt),
      () => {
        for (const permits of due) permits.recordFailedRenewal();
      },
    );
    for (const permits of due) {
      permits.requestInFlight = false;
      this.requestIfNeeded(permits);
    }
  }

  private nextTurn(): { holder: string; turn: number } {
    this.turn += 1;
    return { holder: this.holder, turn: this.turn };
  }
}

function applyRenewal(due: WaiterPermits[], lostProcesses: ReadonlySet<string>, sentAt: number): void {
  for (const permits of due) {
    if (lostProcesses.has(permits.processID)) permits.lose();
    else permits.recordRenewal(sentAt);
  }
}
