import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection, Subscription, SubscriptionOptions } from '@nats-io/transport-node';

/**
 * How long both connections receive messages when subscriptions move from one to the other. Within milliseconds all nodes know a new
 * subscription, but no message says so.
 */
const OVERLAP_MS = 300;

interface KeptSubscription {
  subject: string;
  options: SubscriptionOptions;
  subscription: Subscription;
}

/** The subscriptions of a client of NATS, which outlive its connection and refusals by a server. */
export class Subscriptions {
  private readonly kept = new Set<KeptSubscription>();
  /** The subscriptions of the first connection while they move. */
  private left: Subscription[] = [];

  constructor(private connection: NatsConnection) {}

  /** Returns a function that unsubscribes. */
  add(subject: string, options: SubscriptionOptions): () => void {
    const kept = { subject, options, subscription: this.connection.subscribe(subject, options) };
    this.kept.add(kept);
    return () => {
      this.kept.delete(kept);
      kept.subscription.unsubscribe();
    };
  }

  /**
   * Called after a reconnection. A server with the permissions of the previous release refuses subscriptions that this release has added; the
   * server that replaces it may allow them.
   */
  subscribeAgain(): void {
    for (const kept of this.kept) if (kept.subscription.isClosed()) this.subscribe(kept);
  }

  /**
   * Moves all subscriptions to another connection without a gap: for a moment both have them. A service of a queue group still receives each
   * request once, but a notification may arrive twice. Afterwards the first connection has delivered all that it has received.
   */
  async moveTo(connection: NatsConnection): Promise<void> {
    this.left = [...this.kept].map(({ subscription }) => subscription);
    this.connection = connection;
    for (const kept of this.kept) this.subscribe(kept);
    await sleep(OVERLAP_MS, undefined, { ref: false });
    const { left } = this;
    this.left = [];
    await drainOpen(left);
  }

  /** Unsubscribes, and resolves when everything that was received before is delivered. */
  async drain(): Promise<void> {
    const subscriptions = [...this.left, ...Array.from(this.kept, ({ subscription }) => subscription)];
    this.kept.clear();
    await drainOpen(subscriptions);
  }

  private subscribe(kept: KeptSubscription): void {
    kept.subscription = this.connection.subscribe(kept.subject, kept.options);
  }
}

async function drainOpen(subscriptions: readonly Subscription[]): Promise<void> {
  const open = subscriptions.filter((subscription) => !subscription.isClosed());
  await Promise.all(open.map((subscription) => subscription.drain()));
}
