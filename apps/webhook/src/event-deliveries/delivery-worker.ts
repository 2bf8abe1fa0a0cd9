import { InFlightTasks } from '@batuta/async';
import { Store } from '@batuta/database';
import { faultPoint, LOGGER, type Logger } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { PeriodicTasks, type PeriodicTask } from '@batuta/service';
import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { signingKeys } from '../event-subscriptions/event-secret';
import { closedReason } from './closed-reason';
import { DeliveryAttempts } from './delivery-attempts';
import {
  findDeliveryTargets,
  findDueDeliveries,
  endWaiting,
  leaseDeliveries,
  type DeliveryKey,
  type DeliveryTarget,
  type LeasedDelivery,
} from './delivery.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { endDeliveriesOf } from './end-deliveries';
import { messageOfEvent } from './event-message';
import { asksFor, endUnasked } from './unasked-deliveries.repository';
import { EventSender, type SendResult } from './event-sender';
import { SendBounds } from './send-bounds';

/**
 * Maximum requests in flight at one replica: a slow address occupies at most four, and a company at most an eighth of
 * all.
 */
const SEND_LIMITS = { total: 64, perCompany: 8, perSubscription: 4 };
const PAGE_SIZE = 200;
/** Pause between the end of an attempt and the next round, so that attempts that end within it share the round. */
const NEXT_ROUND_DELAY_MS = 20;
/** Time to store the result of an attempt before its lease ends. */
const LEASE_MARGIN_MS = 10_000;

/** The deliveries that a round sends, by the text of their keys. */
type ChosenDeliveries = Map<string, { key: DeliveryKey; target: DeliveryTarget }>;

/** What a round has found so far. */
interface Round {
  /**
   * The subscriptions of which the round sends no more: the closed ones, and those for which a limit of requests in flight is reached (SEND_LIMITS).
   */
  excluded: Set<string>;
  /** The closed ones among the excluded, whose waiting deliveries the round ends. */
  closed: Set<string>;
  /** The subscriptions that no longer ask for some of their waiting deliveries, which the round ends. */
  narrowed: Set<string>;
}

/**
 * Leases due deliveries and sends them, at every replica. The lease keeps two replicas from sending the same delivery. When a replica is killed, its
 * leases expire, and another replica sends the deliveries again with the same ids.
 */
@Injectable()
export class DeliveryWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly bounds = new SendBounds(SEND_LIMITS);
  private readonly sends = new InFlightTasks();
  /** True when the last round left due deliveries, because a limit was reached. */
  private isBehind = false;
  private rounds: PeriodicTask | undefined;

  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    private readonly sender: EventSender,
    private readonly attempts: DeliveryAttempts,
    private readonly metrics: DeliveryMetrics,
    private readonly tasks: PeriodicTasks,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'EVENT_TICK_MS' | 'EVENT_TIMEOUT_MS'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds = this.tasks.every('event deliveries', this.config.EVENT_TICK_MS, () => this.runRound());
  }

  /** Begins no further round; waits until the leased deliveries are sent and their results are stored. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.tasks.stop();
    await this.sends.drain();
  }

  /**
   * Leases as many due deliveries as may be sent at a time, and begins to send them; then ends those that must not be sent, so that the locks
   * for that delay no send of the round. Resolves before the answers arrive.
   */
  private async runRound(): Promise<void> {
    const round: Round = {
      excluded: new Set(this.bounds.fullSubscriptions),
      closed: new Set(),
      narrowed: new Set(),
    };
    this.isBehind = round.excluded.size > 0;
    await this.sendDue(round);
    await endDeliveriesOf(new Set([...round.closed, ...round.narrowed]), async (id, maxRows) => {
      const end = round.closed.has(id) ? endWaiting : endUnasked;
      const { found, changed } = await end(this.store, id, { maxRows, isStopping: () => this.tasks.stopping });
      this.metrics.countDropped(changed);
      return found;
    });
  }

  private async sendDue(round: Round): Promise<void> {
    const { excluded } = round;
    while (!this.tasks.stopping) {
      if (this.bounds.room === 0) {
        this.isBehind = true;
        return;
      }
      const excludedBefore = excluded.size;
      const due = await findDueDeliveries(this.store, [...excluded], PAGE_SIZE);
      const leased = await this.sendPage(due, round);
      // A full page of which nothing could be leased means that another replica is leasing the same deliveries.
      if (due.length < PAGE_SIZE || (leased === 0 && excluded.size === excludedBefore)) return;
    }
  }

  /** Returns the number of leased deliveries: those that are being sent, and those for which the subscription no longer asks. */
  private async sendPage(due: DeliveryKey[], { excluded, closed, narrowed }: Round): Promise<number> {
    const ids = new Set(due.map((key) => key.subscription_id));
    const targets = await findDeliveryTargets(this.store, [...ids]);
    for (const id of ids) {
      if (closedReason(targets.get(id)) === undefined) continue;
      closed.add(id);
      excluded.add(id);
    }
    return this.leaseAndSend(this.choose(due, targets, excluded), narrowed);
  }

  /** Chooses the due deliveries that the limits allow, and counts them as requests in flight; `leaseAndSend` and `send` release them. */
  private choose(due: DeliveryKey[], targets: Map<string, DeliveryTarget>, excluded: Set<string>): ChosenDeliveries {
    const chosen: ChosenDeliveries = new Map();
    for (const key of due) {
      const target = targets.get(key.subscription_id);
      if (!target || excluded.has(key.subscription_id)) continue;
      if (this.bounds.take(idsOf(target))) chosen.set(keyText(key), { key, target });
      else {
        excluded.add(key.subscription_id);
        this.isBehind = true;
      }
    }
    return chosen;
  }

  private async leaseAndSend(chosen: ChosenDeliveries, narrowed: Set<string>): Promise<number> {
    const unused = new Map(chosen);
    try {
      const keys = Array.from(chosen.values(), ({ key }) => key);
      const leaseMs = this.config.EVENT_TIMEOUT_MS + LEASE_MARGIN_MS;
      const isAsked = (delivery: LeasedDelivery) => {
        const target = chosen.get(keyText(delivery))?.target;
        return target !== undefined && asksFor(target, delivery);
      };
      const leased = await leaseDeliveries(this.store, keys, leaseMs, isAsked);
      for (const delivery of leased) {
        const target = chosen.get(keyText(delivery))?.target;
        if (!target) continue;
        if (!isAsked(delivery)) {
          narrowed.add(target.subscription_id);
          continue;
        }
        unused.delete(keyText(delivery));
        this.sends.add(this.send(delivery, target));
      }
      return leased.length;
    } finally {
      for (const { target } of unused.values()) this.bounds.release(idsOf(target));
    }
  }

  /** Never rejects: an attempt whose result was not stored is repeated once the lease has ended. */
  private async send(delivery: LeasedDelivery, target: DeliveryTarget): Promise<void> {
    try {
      const result = await this.attempt(delivery, target);
      faultPoint('webhook:after-event');
      await this.attempts.save(delivery, target, result, () => this.tasks.stopping);
    } catch (error) {
      const { subscription_id: subscriptionID, instance_id: instanceID } = delivery;
      this.logger.warn({ err: error, subscriptionID, instanceID }, 'an attempt to deliver an event was not stored');
    } finally {
      this.bounds.release(idsOf(target));
      if (this.isBehind) this.rounds?.runWithin(NEXT_ROUND_DELAY_MS);
    }
  }

  private attempt(delivery: LeasedDelivery, target: DeliveryTarget): Promise<SendResult> | SendResult {
    const { instance_id: eventID, event, created_at: createdAt, payload: data } = delivery;
    try {
      const keys = signingKeys(this.keys, target.subscription_id, target);
      return this.sender.send(target.url, messageOfEvent({ eventID, event, createdAt, data }), keys);
    } catch (error) {
      const { subscription_id: subscriptionID } = delivery;
      this.logger.error({ err: error, subscriptionID }, 'the secret of an event subscription cannot be unsealed');
      return { status: null, error: 'the signing secret cannot be read', retryAfterMs: 0, durationMs: 0 };
    }
  }
}

function idsOf(target: DeliveryTarget): { subscriptionID: string; companyID: string } {
  return { subscriptionID: target.subscription_id, companyID: target.company_id };
}

function keyText({ subscription_id, instance_id }: DeliveryKey): string {
  return `${subscription_id} ${instance_id}`;
}
