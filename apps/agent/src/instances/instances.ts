import type { AgentFrame, HeldInstance as Held, OfferFrame, RouterFrame, WelcomeFrame } from '@batuta/contracts';
import { faultPoint, type Logger } from '@batuta/logging';
import { HeldInstance, type RunInstance } from './held-instance';

/** Gives a frame to the connection; false when there is none, or when it cannot take more for the moment. */
export type SendFrame = (frame: AgentFrame) => boolean;

/**
 * All that this agent holds, and what each word of the router does to it. An instance runs only after its grant, and
 * every word about it carries its fence.
 */
export class Instances {
  private readonly held = new Map<string, HeldInstance>();
  private draining = false;
  private whenIdle: (() => void)[] = [];

  constructor(
    private readonly capacity: number,
    private readonly run: RunInstance,
    private readonly send: SendFrame,
    private readonly logger: Logger,
  ) {}

  /** For `resume`: everything, also what is accepted but not begun and what has ended but is not acknowledged. */
  list(): Held[] {
    return [...this.held].map(([instanceID, { fence }]) => ({ instanceID, fence }));
  }

  /** A session began: go on with what the router grants, drop the rest. */
  welcomed({ granted }: WelcomeFrame): void {
    const wanted = new Map(granted.map((grant) => [grant.instanceID, grant]));
    for (const [instanceID, instance] of this.held) {
      const grant = wanted.get(instanceID);
      if (grant?.fence === instance.fence) instance.begin(grant.desired);
      else this.drop(instanceID, 'the service gave it up while the connection was away');
    }
    if (this.draining) this.send({ type: 'drain' });
    this.sendReports();
  }

  disconnected(): void {
    for (const instance of this.held.values()) instance.disconnected();
  }

  receive(frame: RouterFrame): void {
    switch (frame.type) {
      case 'offer':
        return this.offered(frame);
      case 'grant':
        return this.granted(frame);
      case 'revoke':
        return this.with(frame, () => this.drop(frame.instanceID, 'the service took it back'));
      case 'desired':
        return this.with(frame, (instance) => instance.want(frame.desired));
      case 'ack':
        return this.with(frame, (instance) => this.acknowledged(instance, frame.seq, frame.accepted));
      default:
    }
  }

  /** Sends what can be sent: after a welcome, and whenever the connection can take more. */
  sendReports(): void {
    for (const instance of this.held.values()) this.report(instance);
  }

  dropAll(why: string): void {
    for (const instanceID of this.held.keys()) this.drop(instanceID, why);
  }

  /** Takes no more work; returns when nothing is held or the signal ends the patience. */
  async drain(signal: AbortSignal): Promise<void> {
    this.draining = true;
    this.send({ type: 'drain' });
    await this.idle(signal);
  }

  /** Ends what is left as crashed and tells so. What was never granted goes back to the queue with the session. */
  async leave(signal: AbortSignal): Promise<void> {
    for (const [instanceID, instance] of this.held) {
      if (instance.hasBegun) instance.crash('The agent was shut down before the execution ended');
      else this.drop(instanceID, 'the agent leaves');
    }
    await this.idle(signal);
  }

  private async idle(signal: AbortSignal): Promise<void> {
    if (this.held.size === 0 || signal.aborted) return;
    await new Promise<void>((resolve) => {
      this.whenIdle.push(resolve);
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  private offered(offer: OfferFrame): void {
    const { instanceID, fence } = offer;
    const reason = this.refusal(offer);
    if (reason !== undefined) {
      this.send({ type: 'reject', instanceID, fence, reason });
      return;
    }
    const instance = new HeldInstance(offer, this.run, (one) => this.report(one));
    this.held.set(instanceID, instance);
    this.send({ type: 'accept', instanceID, fence });
    faultPoint('agent:after-accept');
  }

  /** An instance that has begun here is never begun again, whatever its fence. */
  private refusal({ instanceID }: OfferFrame): string | undefined {
    if (this.draining) return 'the agent is leaving';
    const twin = this.held.get(instanceID);
    if (twin?.hasBegun) return 'the agent holds this instance already';
    // Ended ones still count here: a service that acknowledges nothing gets nothing more done.
    if (this.held.size >= 2 * this.capacity) return 'too many ends are not acknowledged';
    const active = [...this.held.values()].filter((instance) => instance.isActive && instance !== twin).length;
    return active >= this.capacity ? 'no free capacity' : undefined;
  }

  private granted(grant: Extract<RouterFrame, { type: 'grant' }>): void {
    const { instanceID, fence } = grant;
    const instance = this.held.get(instanceID);
    faultPoint('agent:after-grant');
    if (instance?.fence === fence) return instance.begin(grant.desired);
    this.logger.warn({ instanceID, fence }, 'granted an instance that is not held');
    // Unsaid, it would count as running for as long as this agent stays connected.
    const errorMessage = 'The agent did not hold the instance any more when it was granted';
    const end = { outcome: 'CRASHED' as const, errorStep: null, errorMessage };
    this.send({ type: 'report', instanceID, fence, seq: 1, lines: [], end });
  }

  private acknowledged(instance: HeldInstance, seq: number, accepted: boolean): void {
    const { instanceID } = instance.offer;
    if (!accepted) return this.drop(instanceID, 'the service takes no more reports of it');
    instance.acknowledge(seq);
    if (instance.isDone) this.forget(instanceID);
    else this.report(instance);
  }

  private report(instance: HeldInstance): void {
    const report = instance.toSend();
    if (!report || !this.send(report)) return;
    instance.sent(report);
    faultPoint('agent:mid-report');
  }

  private drop(instanceID: string, why: string): void {
    this.logger.warn({ instanceID, why }, 'instance dropped');
    this.held.get(instanceID)?.drop();
    this.forget(instanceID);
  }

  private forget(instanceID: string): void {
    this.held.delete(instanceID);
    if (this.held.size > 0) return;
    for (const wake of this.whenIdle.splice(0)) wake();
  }

  /** A word with an old fence, or about what is not held, changes nothing. */
  private with({ instanceID, fence }: Held, act: (instance: HeldInstance) => void): void {
    const instance = this.held.get(instanceID);
    if (instance?.fence === fence) act(instance);
    else this.logger.debug({ instanceID, fence }, 'a frame about an instance that is not held');
  }
}
