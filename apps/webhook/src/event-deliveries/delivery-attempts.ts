import { entryLimit } from '@batuta/async';
import type { DisabledReason } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { deferralAfterFailures, pauseAfterDeliveryAttempt } from './attempt-plan';
import { deferDue, endDeferral } from './deferral.repository';
import { DeliveryMetrics } from './delivery.metrics';
import {
  disableSubscription,
  saveDelivered,
  saveFailed,
  type DeliveryTarget,
  type LeasedDelivery,
} from './delivery.repository';
import type { SendResult } from './event-sender';

/** HTTP status 410: the address wants no more events. */
const GONE = 410;
const MAX_REMEMBERED_SUBSCRIPTIONS = 10_000;
/**
 * After a success, deferred deliveries are sought if the address had failed for longer than this, counted to the end of the attempt's lease. After a
 * shorter failure none is deferred for much longer than this, because `deferDue` bounds the wait by the time of the failure.
 */
const LONG_FAILURE_MS = 60_000;

/** Stores the results of attempts, and what follows from them for the subscription. */
@Injectable()
export class DeliveryAttempts {
  /** Failed attempts of subscriptions since their last success, as this replica has seen them. */
  private readonly failures = new LRUCache<string, number>(entryLimit(MAX_REMEMBERED_SUBSCRIPTIONS));

  constructor(
    private readonly store: Store,
    private readonly metrics: DeliveryMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Stores one result. A success ends the deferral of the subscription's other deliveries; a failure may defer them, or switch the subscription
   * off.
   */
  async save(
    delivery: LeasedDelivery,
    target: DeliveryTarget,
    { status, error, retryAfterMs, durationMs }: SendResult,
    isStopping: () => boolean,
  ): Promise<void> {
    const { subscription_id: id } = delivery;
    if (error === null) {
      const wasDeferred = deferralAfterFailures(this.failures.get(id) ?? 0) > 0 || hasFailedForLong(delivery, target);
      this.failures.delete(id);
      await saveDelivered(this.store, delivery, status);
      this.metrics.countAttempt('delivered', durationMs);
      if (wasDeferred) await endDeferral(this.store, id, isStopping);
      return;
    }
    const isGone = status === GONE;
    const pauseMs = pauseAfterDeliveryAttempt(delivery.attempts, Math.random(), retryAfterMs);
    const failed = { url: target.url, status, error, pauseMs, isGone };
    const { isDead, isSwitchedOff } = await saveFailed(this.store, delivery, failed);
    this.metrics.countAttempt(isDead ? 'dead' : 'retry', durationMs);
    if (isSwitchedOff) this.recordSwitchOff(target, 'gone');
    if (!isGone) await this.afterFailure(target, isStopping);
  }

  private async afterFailure(target: DeliveryTarget, isStopping: () => boolean): Promise<void> {
    const { subscription_id: id } = target;
    // An address without any success for days gets no more attempts.
    if (target.first_failure_at && (await disableSubscription(this.store, id, 'failing'))) {
      this.recordSwitchOff(target, 'failing');
    }
    const failures = (this.failures.get(id) ?? 0) + 1;
    this.failures.set(id, failures);
    const pauseMs = deferralAfterFailures(failures);
    // The due deliveries of this address are deferred: while the address fails, they would stay in front of the due
    // deliveries of all others.
    if (pauseMs > 0) await deferDue(this.store, id, pauseMs, isStopping);
  }

  private recordSwitchOff(
    { subscription_id: id, company_id: companyID }: DeliveryTarget,
    reason: DisabledReason,
  ): void {
    this.logger.info({ subscriptionID: id, companyID, reason }, 'an event subscription was switched off');
    this.metrics.countDisabled(reason);
  }
}

/** Whether deliveries may be deferred of which this replica does not know: because of failures at another one, or before its start. */
function hasFailedForLong(
  { lease_until: until }: LeasedDelivery,
  { first_failure_at: since }: DeliveryTarget,
): boolean {
  return since !== null && until.getTime() - since.getTime() > LONG_FAILURE_MS;
}
