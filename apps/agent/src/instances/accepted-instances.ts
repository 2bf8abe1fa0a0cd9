import { atEndOfTurn, untilAborted } from '@batuta/async';
import type { AgentFrame, OfferFrame, RouterFrame, WelcomeFrame } from '@batuta/agent-protocol';
import type { HeldInstance } from '@batuta/contracts';
import { faultPoint, type Logger } from '@batuta/logging';
import { AcceptedInstance, type RunInstance } from './accepted-instance';

/** Sends a frame; returns false when there is no session, or when the send buffer is too full for a report. */
export type SendFrame = (frame: AgentFrame) => boolean;

/**
 * The instances that this agent holds, and the effect of each frame of the router on them. An instance runs only after its grant. A frame
 * with another fence does not change a held instance, except an offer before the instance has begun, and a welcome, which drops it.
 */
export class AcceptedInstances {
  private readonly held = new Map<string, AcceptedInstance>();
  private draining = false;
  /** The grace period of the session. */
  private graceMs = 0;
  private idleWaiters: (() => void)[] = [];

  constructor(
    private readonly capacity: number,
    /** Why nothing can run now, so that offers are rejected and go to other agents instead of ending as crashed; undefined if something can. */
    private readonly problem: () => string | undefined,
    private readonly run: RunInstance,
    private readonly send: SendFrame,
    private readonly logger: Logger,
  ) {}

  /**
   * The instances for the `resume` of a hello, including those that have not begun and those whose end is not
   * acknowledged.
   */
  heldInstances(): HeldInstance[] {
    return [...this.held].map(([instanceID, { fence }]) => ({ instanceID, fence }));
  }

  /** Continues or begins the instances that the welcome grants and drops the others. */
  onWelcome({ granted, graceSeconds }: WelcomeFrame): void {
    this.graceMs = graceSeconds * 1_000;
    const grants = new Map(granted.map((grant) => [grant.instanceID, grant]));
    for (const [instanceID, instance] of this.held) {
      const grant = grants.get(instanceID);
      if (grant?.fence === instance.fence) instance.begin(grant.desired, this.graceMs);
      else this.drop(instanceID, 'not granted by the resume');
    }
    if (this.draining) this.send({ type: 'drain' });
    this.sendReports();
  }

  onDisconnect(): void {
    for (const instance of this.held.values()) instance.onDisconnect();
  }

  receive(frame: RouterFrame): void {
    switch (frame.type) {
      case 'heartbeat':
        return this.onHeartbeat();
      case 'offer':
        return this.onOffer(frame);
      case 'grant':
        return this.onGrant(frame);
      case 'revoke':
        return this.ifHeld(frame, () => this.drop(frame.instanceID, 'offer revoked'));
      case 'desired':
        return this.ifHeld(frame, (instance) => instance.setDesired(frame.desired));
      case 'ack':
        return this.ifHeld(frame, (instance) => this.onAck(instance, frame.seq, frame.accepted));
      case 'error':
        return this.onError(frame);
      default:
    }
  }

  /** Sends every report that is due. Called after a welcome, and when the connection takes frames again. */
  sendReports(): void {
    for (const instance of this.held.values()) this.sendReport(instance);
  }

  /**
   * Called when Batuta may give up the instances soon: each begins no further effect until the next welcome, which grants
   * or drops it.
   */
  suspendAll(): void {
    if (this.held.size === 0) return;
    this.logger.warn({ instances: this.held.size }, 'no contact for the grace period: the instances are suspended');
    for (const instance of this.held.values()) instance.suspend();
  }

  dropAll(reason: string): void {
    for (const instanceID of this.held.keys()) this.drop(instanceID, reason);
  }

  /** Accepts no more offers; resolves when the agent holds no instance or the signal aborts. */
  async drain(signal: AbortSignal): Promise<void> {
    this.draining = true;
    this.send({ type: 'drain' });
    await this.untilIdle(signal);
  }

  /**
   * Stops running instances, which report that they crashed, and drops those without a grant, which the execution service requeues when
   * the session ends. Resolves when the running ones have stopped, or when the signal aborts.
   */
  async crashAll(signal: AbortSignal): Promise<void> {
    const held = [...this.held];
    for (const [instanceID, instance] of held) {
      if (instance.hasBegun) instance.crash('The agent was shut down before the execution ended');
      else this.drop(instanceID, 'the agent shuts down');
    }
    const stopped = Promise.all(held.map(([, instance]) => instance.flowEnd));
    await untilAborted(stopped, signal, () => new Error('not stopped in time')).catch(() => undefined);
  }

  /** Resolves when the agent holds no instance, or when the signal aborts. */
  async untilIdle(signal: AbortSignal): Promise<void> {
    if (this.held.size === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.idleWaiters.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private onHeartbeat(): void {
    for (const instance of this.held.values()) instance.noteContact(this.graceMs);
  }

  private onOffer(offer: OfferFrame): void {
    const { instanceID, fence } = offer;
    const reason = this.rejectReason(offer);
    if (reason !== undefined) {
      this.send({ type: 'reject', instanceID, fence, reason });
      return;
    }
    const instance = new AcceptedInstance(offer, this.run, (one) => this.sendReport(one));
    this.held.set(instanceID, instance);
    this.send({ type: 'accept', instanceID, fence });
    atEndOfTurn(() => faultPoint('agent:after-accept'));
  }

  /**
   * Why the offer is rejected; undefined when it can be accepted. A held instance that has begun does not begin again,
   * whatever fence the offer has.
   */
  private rejectReason({ instanceID }: OfferFrame): string | undefined {
    if (this.draining) return 'the agent is leaving';
    const known = this.held.get(instanceID);
    if (known?.hasBegun) return 'the agent holds this instance already';
    // Ended instances count as well: without acknowledgements their reports would fill the memory.
    if (this.held.size >= 2 * this.capacity) return 'too many ends are not acknowledged';
    const active = [...this.held.values()].filter((instance) => instance.isActive && instance !== known).length;
    return active >= this.capacity ? 'no free capacity' : this.problem();
  }

  private onGrant(grant: Extract<RouterFrame, { type: 'grant' }>): void {
    const { instanceID, fence } = grant;
    const instance = this.held.get(instanceID);
    faultPoint('agent:after-grant');
    if (instance?.fence === fence) return instance.begin(grant.desired, this.graceMs);
    this.logger.warn({ instanceID, fence }, 'the router granted an instance that the agent does not hold');
    // A crash is reported, because otherwise the instance would count as running for as long as this agent stays
    // connected.
    const errorMessage = 'The agent did not hold the instance any more when it was granted';
    const end = { outcome: 'CRASHED' as const, errorStep: null, errorMessage };
    this.send({ type: 'report', instanceID, fence, seq: 1, lines: [], end });
  }

  /** The router ends the session for an invalid report. The instance is dropped, so that the next session can continue the others. */
  private onError({ instanceID }: Extract<RouterFrame, { type: 'error' }>): void {
    if (instanceID !== undefined && this.held.has(instanceID)) this.drop(instanceID, 'its report is invalid');
  }

  private onAck(instance: AcceptedInstance, seq: number, accepted: boolean): void {
    const { instanceID } = instance.offer;
    if (!accepted) return this.drop(instanceID, 'report refused');
    instance.acknowledge(seq);
    if (instance.isDone) this.removeHeld(instanceID);
    else this.sendReport(instance);
  }

  private sendReport(instance: AcceptedInstance): void {
    const report = instance.nextReport();
    if (!report || !this.send(report)) return;
    instance.reportSent(report);
    atEndOfTurn(() => faultPoint('agent:mid-report'));
  }

  private drop(instanceID: string, reason: string): void {
    this.logger.warn({ instanceID, reason }, 'the agent drops an instance');
    this.held.get(instanceID)?.drop();
    this.removeHeld(instanceID);
  }

  private removeHeld(instanceID: string): void {
    this.held.delete(instanceID);
    if (this.held.size > 0) return;
    for (const wake of this.idleWaiters.splice(0)) wake();
  }

  /** Calls `act` with the instance that a frame is about. A frame with a stale fence, or about an unknown instance, has no effect. */
  private ifHeld({ instanceID, fence }: HeldInstance, act: (instance: AcceptedInstance) => void): void {
    const instance = this.held.get(instanceID);
    if (instance?.fence === fence) act(instance);
    else this.logger.debug({ instanceID, fence }, 'the agent ignores a frame about an instance that it does not hold');
  }
}
