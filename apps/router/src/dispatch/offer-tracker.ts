import { atEndOfTurn, InFlightTasks } from '@batuta/async';
import { DatabaseClock } from '@batuta/database';
import { execution, type DesiredState, type HeldInstance, type InstanceWork } from '@batuta/contracts';
import { faultPoint, withRequestID, withTrace } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { ROUTER_CONFIG, type RouterConfig } from '../config';
import { RouterContext } from '../context/router-context';
import type { AgentSession } from '../sessions/agent-session';
import { SessionCloser } from '../sessions/session-closer';
import type { TrackedEffect, TrackedEvent, TrackedInstance } from '../sessions/tracked-instance';
import { InstanceReleaser } from './instance-releaser';

/**
 * The speed, 1 Mbit/s, for which the bytes of an offer extend its time. Without that, a large offer on a slow connection would be withdrawn
 * before it arrives, again and again.
 */
const LOWEST_BYTES_PER_MS = 125;
/**
 * As long as an agent waits for a frame by default. With OFFER_SECONDS it is less than CLAIM_SECONDS of execution, after which the instance is
 * requeued in any case: an offer must be withdrawn before, because only then does the agent get no offers for a while.
 */
const MAX_EXTRA_MS = 7_500;

/**
 * Takes each instance of a session from its offer through the agent's acceptance to its grant; the instance may leave
 * the session at each stage.
 */
@Injectable()
export class OfferTracker {
  private readonly grants = new InFlightTasks();
  private readonly offerMs: number;
  private notifyRoomFreed: (session: AgentSession) => void = () => {};

  constructor(
    private readonly context: RouterContext,
    private readonly releaser: InstanceReleaser,
    private readonly clock: DatabaseClock,
    closer: SessionCloser,
    @Inject(ROUTER_CONFIG) config: RouterConfig,
  ) {
    this.offerMs = config.OFFER_SECONDS * 1_000;
    closer.onEnd((session) => this.onSessionEnd(session));
  }

  /** Sets the one listener that is called when an open session no longer tracks an instance, so that it has room for another one. */
  onRoomFreed(listener: (session: AgentSession) => void): void {
    this.notifyRoomFreed = listener;
  }

  /**
   * Offers each instance to the agent. An offer without a reply within OFFER_SECONDS, and the time that unanswered offers may need to arrive,
   * is withdrawn, and its instance released.
   */
  offer(session: AgentSession, work: readonly InstanceWork[]): void {
    let bytes = session.unansweredOfferBytes;
    for (const item of work) {
      withRequestID(item.requestID, () => {
        bytes += this.offerOne(session, item, bytes);
      });
    }
    atEndOfTurn(() => faultPoint('router:after-offer'));
  }

  /** Handles the agent's reply to an offer; a reply to an offer that was withdrawn has no effect. */
  onOfferReply(session: AgentSession, reply: HeldInstance, event: 'accepted' | 'rejected', reason?: string): void {
    const instance = session.find(reply);
    if (instance?.state !== 'offered') return;
    this.context.metrics.offers.inc({ result: event });
    if (event === 'accepted') session.resetBackoff();
    withRequestID(instance.requestID, () => {
      if (event === 'rejected') this.log(session, instance, `the agent rejected the offer of an instance: ${reason}`);
      this.apply(session, instance, event);
    });
  }

  /** Applies the transition table and performs the effects; does nothing when the event has no effect in the state of the instance. */
  apply(session: AgentSession, instance: TrackedInstance, event: TrackedEvent): void {
    const transition = session.transition(instance, event);
    if (!transition) return;
    for (const effect of transition.effects) this.perform(session, instance, effect);
    if (transition.to === 'removed' && event !== 'sessionEnded') this.notifyRoomFreed(session);
  }

  /** Resolves when execution has replied to the grant requests in flight, or their sessions have ended. */
  drain(): Promise<void> {
    return this.grants.drain();
  }

  /**
   * Releases the instances that are not granted, all in one call; granted ones stay with the agent, which may resume
   * its session.
   */
  private onSessionEnd(session: AgentSession): void {
    const released = [...session.instances.values()].filter((instance) =>
      session.transition(instance, 'sessionEnded')?.effects.includes('release'),
    );
    this.releaser.release(session, released);
  }

  /** `bytesAhead` = the bytes of the unanswered offers, which arrive before this one. Returns the bytes of this offer. */
  private offerOne(session: AgentSession, work: InstanceWork, bytesAhead: number): number {
    const instance = session.trackOffered(work);
    const { acceptedAt: _, ...offer } = work;
    const { traceparent } = instance;
    const bytes = session.send({ type: 'offer', ...offer, ...(traceparent !== undefined && { traceparent }) });
    instance.offerBytes = bytes;
    instance.offerTimer = setTimeout(
      () => {
        this.context.metrics.offers.inc({ result: 'unanswered' });
        withRequestID(instance.requestID, () => {
          this.log(session, instance, 'the agent did not answer the offer of an instance');
          this.apply(session, instance, 'unanswered');
        });
      },
      this.offerMs + Math.min((bytesAhead + bytes) / LOWEST_BYTES_PER_MS, MAX_EXTRA_MS),
    ).unref();
    this.context.metrics.offers.inc({ result: 'offered' });
    this.log(session, instance, 'an instance was offered', 'debug');
    return bytes;
  }

  private perform(session: AgentSession, instance: TrackedInstance, effect: TrackedEffect): void {
    const { instanceID, fence, desired } = instance;
    switch (effect) {
      case 'requestGrant':
        this.grants.add(this.requestGrant(session, instance));
        break;
      case 'sendGrant':
        session.send({ type: 'grant', instanceID, fence, desired });
        break;
      case 'sendRevoke':
        session.send({ type: 'revoke', instanceID, fence });
        break;
      case 'release':
        this.releaser.release(session, [instance]);
        break;
      case 'backOff':
        session.backOff();
        break;
    }
  }

  private async requestGrant(session: AgentSession, instance: TrackedInstance): Promise<void> {
    const version = instance.desiredVersion;
    const call = () => this.callGrant(session, instance);
    const { dispatchSpan } = instance;
    const reply = await (dispatchSpan ? withTrace(dispatchSpan.trace, call) : call());
    // There is no reply when the session has ended: the instance was released, or the agent resumes it.
    if (!reply) return;
    this.context.metrics.grants.inc({ result: reply.granted ? 'granted' : 'refused' });
    if (reply.granted) this.log(session, instance, 'an instance was granted', 'debug');
    else this.log(session, instance, 'execution refused the grant of an instance');
    if (reply.granted && instance.acceptedAt !== undefined) {
      const seconds = Math.max(0, this.clock.now() - instance.acceptedAt) / 1_000;
      this.context.metrics.dispatchSeconds.observe({}, seconds, instance.dispatchSpan?.trace.traceID);
    }
    if (reply.granted) faultPoint('router:after-grant');
    // A desired state that was notified during the call is kept, because it is at least as new as the reply.
    if (instance.desiredVersion === version) instance.desired = reply.desired;
    this.apply(session, instance, reply.granted ? 'granted' : 'refused');
  }

  /**
   * Requests the grant and retries while the session lives; undefined once the session has ended. A definite refusal
   * counts as `granted: false`. If an earlier attempt was committed although its reply was lost, execution grants the
   * repeated one as well.
   */
  private async callGrant(
    session: AgentSession,
    { instanceID, fence }: TrackedInstance,
  ): Promise<{ granted: boolean; desired: DesiredState } | undefined> {
    const { rpc, logger } = this.context;
    const request = { instanceID, fence, sessionID: session.id };
    const call = () => rpc.call(execution.grant, request, { tenant: session.companyID });
    try {
      return await this.context.retry('grant', call, session.endSignal);
    } catch (error) {
      logger.error({ err: error, ...request }, 'the grant of an instance failed');
      return { granted: false, desired: 'run' };
    }
  }

  /**
   * Logs a transition. Expected ones are logged at `debug`, so that at `info` each instance has only one line, its end.
   */
  private log(
    session: AgentSession,
    { instanceID, fence }: TrackedInstance,
    message: string,
    level: 'debug' | 'info' = 'info',
  ): void {
    const { id: sessionID, environmentID } = session;
    this.context.logger[level]({ instanceID, fence, sessionID, environmentID }, message);
  }
}
