import { execution, notifications, type AwaitedState } from '@batuta/contracts';
import type { Rpc } from '@batuta/messaging';
import { withRequestID } from '@batuta/observability';
import type { OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { GatewayClock } from '../common/gateway-clock';
import { WaitingCall } from './waiting-call';

const TICK_MILLISECONDS = 50;
/** A hint may be lost: so all are asked about once a second. */
const TICKS_A_LOOK = 20;
/** Listening goes on for a while, so that it need not begin anew for each of a few callers. */
const IDLE_TICKS = 200;
/** A replica that died with the question leaves silence: ask the next one. */
const LOOK_MILLISECONDS = 2_000;
/** Past the deadline nobody is held for long by a service that is away. */
const LAST_LOOK_MILLISECONDS = 500;
/** Before the connections are closed there must be time left for a last look. */
const CLOSING_MILLISECONDS = 1_000;

/**
 * The callers that this replica holds until their processes answer. One timer serves all of them, and one question a
 * second. Services that are away only make them wait on, until their time is up.
 */
export class WaitingCalls implements OnModuleDestroy, OnApplicationShutdown {
  private readonly calls = new Map<string, WaitingCall>();
  private readonly notified = new Set<string>();
  private stopListening: (() => void) | undefined;
  private ticks = 0;
  private idleTicks = 0;
  private looking = false;
  private lookingAtHinted = false;
  /** Epoch milliseconds by which all are answered, once the gateway closes. */
  private latest = Infinity;

  constructor(
    private readonly rpc: Pick<Rpc, 'call' | 'subscribe'>,
    private readonly clock: GatewayClock,
    private readonly limits: { mostCalls: number; closeMilliseconds: number },
  ) {}

  get size(): number {
    return this.calls.size;
  }

  /**
   * A call that will wait for this instance until the deadline, which is to be entered before the start is asked for: the
   * answer may be quicker than the start's. undefined when this replica holds as many as it may.
   */
  enter(instanceID: string, deadline: number): WaitingCall | undefined {
    if (this.calls.size >= this.limits.mostCalls) return undefined;
    const call = new WaitingCall(instanceID, deadline);
    this.calls.set(instanceID, call);
    this.stopListening ??= this.listen();
    return call;
  }

  leave(call: WaitingCall): void {
    call.abandon();
    this.calls.delete(call.instanceID);
  }

  onModuleDestroy(): void {
    this.latest = this.clock.now() + Math.max(0, this.limits.closeMilliseconds - CLOSING_MILLISECONDS);
  }

  onApplicationShutdown(): void {
    this.stopListening?.();
    this.stopListening = undefined;
  }

  private listen(): () => void {
    const unsubscribe = this.rpc.subscribe(notifications.answered, (state) => this.receive(state));
    // On behalf of all callers, and not of the one that happens to be first.
    const timer = withRequestID(undefined, () => setInterval(() => this.tick(), TICK_MILLISECONDS));
    return () => {
      unsubscribe();
      clearInterval(timer);
    };
  }

  private tick(): void {
    this.idleTicks = this.calls.size === 0 ? this.idleTicks + 1 : 0;
    if (this.idleTicks > IDLE_TICKS) return this.onApplicationShutdown();
    const due = this.waiting().filter(({ deadline }) => Math.min(deadline, this.latest) <= this.clock.now());
    if (due.length > 0) void this.end(due);
    this.ticks += 1;
    if (this.ticks % TICKS_A_LOOK === 0 && !this.looking) void this.lookAtAll();
  }

  private receive({ instanceID, state }: { instanceID: string; state?: AwaitedState }): void {
    const call = this.calls.get(instanceID);
    if (!call) return;
    if (state) return call.update(state);
    this.notified.add(instanceID);
    if (!this.lookingAtHinted) void this.lookAtHinted();
  }

  private async end(due: WaitingCall[]): Promise<void> {
    for (const call of due) call.close();
    await this.look(
      due.map(({ instanceID }) => instanceID),
      LAST_LOOK_MILLISECONDS,
    );
    for (const call of due) call.expire();
  }

  private async lookAtAll(): Promise<void> {
    this.looking = true;
    await this.ask(
      this.waiting().map(({ instanceID }) => instanceID),
      LOOK_MILLISECONDS,
    );
    this.looking = false;
  }

  private async lookAtHinted(): Promise<void> {
    this.lookingAtHinted = true;
    while (this.notified.size > 0) {
      const instanceIDs = [...this.notified];
      this.notified.clear();
      await this.look(instanceIDs, LOOK_MILLISECONDS);
    }
    this.lookingAtHinted = false;
  }

  /** One reply holds only so much of large answers: asks on for the others while something comes. */
  private async look(instanceIDs: string[], timeout: number): Promise<void> {
    const found = await this.ask(instanceIDs, timeout);
    const left = instanceIDs.filter((instanceID) => !found.has(instanceID));
    if (found.size > 0 && left.length > 0) await this.look(left, timeout);
  }

  /** The instances that there is news of; none while execution is away. */
  private async ask(instanceIDs: string[], timeout: number): Promise<Set<string>> {
    if (instanceIDs.length === 0) return new Set();
    const asked = this.rpc.call(execution.awaited, { instanceIDs }, { timeout });
    const { states } = await asked.catch(() => ({ states: [] }));
    for (const state of states) this.calls.get(state.instanceID)?.update(state);
    return new Set(states.map(({ instanceID }) => instanceID));
  }

  private waiting(): WaitingCall[] {
    return [...this.calls.values()].filter(({ phase }) => phase === 'waiting');
  }
}
