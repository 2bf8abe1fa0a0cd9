import { setTimeout as sleep } from 'node:timers/promises';
import { LogThrottle } from '@batuta/observability';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';

const logger = new Logger('messaging');

/**
 * How long both connections receive messages when subscriptions move from one to the other. Within milliseconds all nodes know a new
 * subscription, but no message says so.
 */
const OVERLAP_MS = 300;

interface ListenOptions {
  /** The queue group, of which one member receives each message. */
  queue?: string;
  /** Receives each message with the connection that delivered it. */
  callback: (error: Error | null, message: Msg, connection: NatsConnection) => void;
}

interface KeptSubscription {
  subject: string;
  options: ListenOptions;
  /** One of each connection that receives the subject, the newest last; several while subscriptions move. */
  open: Subscription[];
  /** A sender that repeats a broken message may send thousands a second. */
  failureLog: LogThrottle;
}

/** The subscriptions of a client of NATS, which outlive its connection and refusals by a server. */
export class Subscriptions {
  private readonly kept = new Set<KeptSubscription>();

  constructor(private connection: NatsConnection) {}

  /** Returns a function that unsubscribes. */
  add(subject: string, options: ListenOptions): () => void {
    const kept = { subject, options, open: [], failureLog: new LogThrottle() };
    this.subscribe(kept);
    this.kept.add(kept);
    return () => {
      this.kept.delete(kept);
      for (const subscription of openOf(kept)) subscription.unsubscribe();
    };
  }

  /**
   * Called after a reconnection. A server with the permissions of the previous release refuses subscriptions that this release has added; the
   * server that replaces it may allow them.
   */
  subscribeAgain(): void {
    for (const kept of this.kept) if (kept.open.at(-1)?.isClosed()) this.subscribe(kept);
  }

  /**
   * Moves all subscriptions to another connection without a gap: for a moment both have them. A service of a queue group still receives each
   * request once, but a notification may arrive twice. Afterwards the first connection has delivered all that it has received.
   */
  async moveTo(connection: NatsConnection): Promise<void> {
    const left = [...this.kept].flatMap(openOf);
    this.connection = connection;
    for (const kept of this.kept) this.subscribe(kept);
    await sleep(OVERLAP_MS, undefined, { ref: false });
    await drainAll(left);
  }

  /** Unsubscribes, and resolves when everything that was received before is delivered, or the connection is closed. */
  async drain(): Promise<void> {
    const open = [...this.kept].flatMap(openOf);
    this.kept.clear();
    await drainAll(open);
  }

  private subscribe(kept: KeptSubscription): void {
    const { connection } = this;
    const { queue, callback } = kept.options;
    const subscription = connection.subscribe(kept.subject, {
      queue,
      callback: (error, message) => {
        try {
          callback(error, message, connection);
        } catch (fault) {
          // Thrown further, it would end the client's reading: the connection would receive nothing until its pings are missed.
          logFailure(kept, fault);
        }
      },
    });
    kept.open = [...openOf(kept), subscription];
  }
}

function logFailure({ subject, failureLog }: KeptSubscription, fault: unknown): void {
  const failures = failureLog.add();
  if (failures === undefined) return;
  const text = fault instanceof Error ? fault.stack : String(fault);
  logger.error(`a message to ${subject} failed (failures since the last line: ${failures}): ${text}`);
}

function openOf({ open }: KeptSubscription): Subscription[] {
  return open.filter((subscription) => !subscription.isClosed());
}

/** The NATS client never settles a drain whose connection closes meanwhile, but then it closes the subscription. */
async function drainAll(subscriptions: readonly Subscription[]): Promise<void> {
  const open = subscriptions.filter((subscription) => !subscription.isClosed());
  await Promise.all(open.map((subscription) => Promise.race([subscription.drain(), subscription.closed])));
}
