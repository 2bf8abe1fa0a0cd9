import { execution, notifications, type AwaitedState } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationShutdown, type OnModuleDestroy } from '@nestjs/common';
import { GatewayClock } from '../../common/gateway-clock';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config';
import { GatewayMetrics } from '../../common/gateway.metrics';
import { WaitingCaller } from './waiting-caller';

const EXPIRY_CHECK_INTERVAL_MS = 50;
/** One poll per second makes up for lost notifications. */
const POLL_INTERVAL_MS = 1_000;
/**
 * Expiry rounds for which the subscription stays after the last caller: ten seconds, so that occasional callers do not
 * subscribe again each time.
 */
const MAX_IDLE_ROUNDS = 200;
/** Time limit of a poll: a replica of execution that dies with it never replies, and the next poll asks another one. */
const POLL_TIMEOUT_MS = 2_000;
/** Time limit of the poll after a caller's deadline; shorter, because the caller has already waited long enough. */
const LAST_POLL_TIMEOUT_MS = 500;
/** A shutdown ends the waits this long before it closes their connections, so that the last poll and the answers fit in. */
const SHUTDOWN_RESERVE_MS = 1_000;

type WaitingLimits = Pick<GatewayConfig, 'MOST_WAITING_CALLS' | 'COMPANY_WAITING_CALLS' | 'CLOSE_TIMEOUT_MS'>;

/**
 * The callers that wait at this replica. One subscription, one expiry round and one poll a second serve all of them. While NATS
 * or execution is unreachable callers keep waiting until their deadlines.
 */
@Injectable()
export class WaitingCallers implements OnModuleDestroy, OnApplicationShutdown {
  private readonly callers = new Map<string, WaitingCaller>();
  private readonly countByCompany = new Map<string, number>();
  /** Instances about which a notification without a state arrived; they are polled next. */
  private readonly notified = new Set<string>();
  private unsubscribe: (() => void) | undefined;
  private idleRounds = 0;
  private pollingNotified = false;
  /** The latest deadline of any caller once shutdown has begun, in milliseconds of the monotonic clock. */
  private shutdownDeadline = Infinity;

  constructor(
    private readonly rpc: Rpc,
    private readonly tasks: PeriodicTasks,
    private readonly clock: GatewayClock,
    @Inject(GATEWAY_CONFIG) private readonly limits: WaitingLimits,
    metrics: GatewayMetrics,
  ) {
    metrics.watchWaiting(() => this.callers.size);
  }

  /**
   * Must be called before the start is requested, because the answer may arrive before the reply to the start. `deadline` in epoch
   * milliseconds. Returns undefined when this replica already has MOST_WAITING_CALLS callers, or COMPANY_WAITING_CALLS of the
   * company that owns the process, so that one company leaves room for the others.
   */
  add(instanceID: string, deadline: number, companyID: string): WaitingCaller | undefined {
    if (this.callers.size >= this.limits.MOST_WAITING_CALLS) return undefined;
    const others = this.countByCompany.get(companyID) ?? 0;
    if (others >= this.limits.COMPANY_WAITING_CALLS) return undefined;
    // From here on the wait is measured by the monotonic clock: a step of the machine's clock would end all waits, or prolong them.
    const left = deadline - this.clock.now();
    const caller = new WaitingCaller(instanceID, this.clock.monotonicNow() + left, companyID);
    this.callers.set(instanceID, caller);
    this.countByCompany.set(companyID, others + 1);
    this.unsubscribe ??= this.subscribe();
    return caller;
  }

  /** Forgets a caller; ends its wait as abandoned if the wait has not ended. */
  remove(caller: WaitingCaller): void {
    caller.abandon();
    if (this.callers.get(caller.instanceID) !== caller) return;
    this.callers.delete(caller.instanceID);
    const others = (this.countByCompany.get(caller.companyID) ?? 0) - 1;
    if (others > 0) this.countByCompany.set(caller.companyID, others);
    else this.countByCompany.delete(caller.companyID);
  }

  /** Nest calls this at the beginning of a shutdown: the callers wait no longer than until shortly before the server closes their connections. */
  onModuleDestroy(): void {
    this.shutdownDeadline = this.clock.monotonicNow() + Math.max(0, this.limits.CLOSE_TIMEOUT_MS - SHUTDOWN_RESERVE_MS);
  }

  onApplicationShutdown(): void {
    this.stopListening();
  }

  private stopListening(): void {
    this.unsubscribe?.();
    this.unsubscribe = undefined;
  }

  /** Returns the function that ends the subscription and both periodic tasks. */
  private subscribe(): () => void {
    const unsubscribe = this.rpc.subscribe(notifications.answered, (notification) => this.receive(notification));
    const options = { whileDraining: true };
    const rounds = [
      this.tasks.every(
        'expiry of waiting callers',
        EXPIRY_CHECK_INTERVAL_MS,
        async () => this.expireOverdue(),
        options,
      ),
      this.tasks.every('poll for waiting callers', POLL_INTERVAL_MS, () => this.pollAll(), options),
    ];
    return () => {
      unsubscribe();
      for (const round of rounds) void round.stop();
    };
  }

  /**
   * Ends the waits whose deadline has passed. It does not await their last polls, so that the next deadlines are not
   * delayed.
   */
  private expireOverdue(): void {
    this.idleRounds = this.callers.size === 0 ? this.idleRounds + 1 : 0;
    if (this.idleRounds > MAX_IDLE_ROUNDS) return this.stopListening();
    const now = this.clock.monotonicNow();
    const overdue = this.findWaiting().filter(({ deadline }) => Math.min(deadline, this.shutdownDeadline) <= now);
    if (overdue.length > 0) void this.expire(overdue);
  }

  private receive({ instanceID, state }: { instanceID: string; state?: AwaitedState }): void {
    const caller = this.callers.get(instanceID);
    if (!caller) return;
    if (state) return caller.update(state);
    this.notified.add(instanceID);
    if (!this.pollingNotified) void this.pollNotified();
  }

  private async expire(overdue: WaitingCaller[]): Promise<void> {
    for (const caller of overdue) caller.beginExpiry();
    await this.pollUntilComplete(
      overdue.map(({ instanceID }) => instanceID),
      LAST_POLL_TIMEOUT_MS,
    );
    for (const caller of overdue) caller.expire();
  }

  private async pollAll(): Promise<void> {
    await this.poll(
      this.findWaiting().map(({ instanceID }) => instanceID),
      POLL_TIMEOUT_MS,
    );
  }

  private async pollNotified(): Promise<void> {
    this.pollingNotified = true;
    while (this.notified.size > 0) {
      const instanceIDs = [...this.notified];
      this.notified.clear();
      await this.pollUntilComplete(instanceIDs, POLL_TIMEOUT_MS);
    }
    this.pollingNotified = false;
  }

  /** A reply has a limited size, so the missing instances are polled again while each reply has some of them. */
  private async pollUntilComplete(instanceIDs: string[], timeout: number): Promise<void> {
    const found = await this.poll(instanceIDs, timeout);
    const missing = instanceIDs.filter((instanceID) => !found.has(instanceID));
    if (found.size > 0 && missing.length > 0) await this.pollUntilComplete(missing, timeout);
  }

  /** Returns the instances in the reply; none when execution does not reply. */
  private async poll(instanceIDs: string[], timeout: number): Promise<Set<string>> {
    if (instanceIDs.length === 0) return new Set();
    const { states } = await this.rpc
      .call(execution.awaited, { instanceIDs }, { timeout })
      .catch(() => ({ states: [] }));
    for (const state of states) this.callers.get(state.instanceID)?.update(state);
    return new Set(states.map(({ instanceID }) => instanceID));
  }

  private findWaiting(): WaitingCaller[] {
    return [...this.callers.values()].filter(({ phase }) => phase === 'waiting');
  }
}
