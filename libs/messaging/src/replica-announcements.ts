import type { EventSubject, ReplicaNotice } from '@batuta/contracts';
import type { NatsConnection, Subscription } from '@nats-io/transport-node';
import { Replicas } from './replicas';

/** The replicas of services, as their notifications announce them on one connection. */
export class ReplicaAnnouncements {
  /** By the subject of the notification. */
  private readonly announced = new Map<string, { replicas: Replicas; subscription: Subscription }>();

  constructor(private readonly connection: NatsConnection) {}

  /** Subscribes at the first request: a service that sends none has no right to receive the notification. */
  by({ subject }: EventSubject<ReplicaNotice>): Replicas {
    const known = this.announced.get(subject);
    if (known) return known.replicas;
    const replicas = new Replicas();
    this.announced.set(subject, { replicas, subscription: this.subscribe(subject, replicas) });
    return replicas;
  }

  /**
   * Called after a reconnection. A server with the permissions of the previous release refuses these subscriptions, and requests to one
   * replica without a reply; the one that takes its place may not, or is the first that does.
   */
  subscribeAgain(): void {
    for (const [subject, announced] of this.announced) {
      announced.replicas.forgetAll();
      if (announced.subscription.isClosed()) announced.subscription = this.subscribe(subject, announced.replicas);
    }
  }

  private subscribe(subject: string, replicas: Replicas): Subscription {
    return this.connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) replicas.announce(message.json<{ data: ReplicaNotice }>().data);
      },
    });
  }
}
