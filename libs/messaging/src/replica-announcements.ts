import type { EventSubject, ReplicaNotice } from '@batuta/contracts';
import { Replicas } from './replicas';
import type { Subscriptions } from './subscriptions';

/** The replicas of services, as their notifications announce them to one client. */
export class ReplicaAnnouncements {
  /** By the subject of the notification. */
  private readonly announced = new Map<string, Replicas>();

  constructor(private readonly subscriptions: Subscriptions) {}

  /**
   * The replicas that announce themselves by this notification. Subscribes to it at the first request: a service that sends none has no right
   * to receive the notification.
   */
  replicasAnnouncedBy({ subject }: EventSubject<ReplicaNotice>): Replicas {
    const known = this.announced.get(subject);
    if (known) return known;
    const replicas = new Replicas();
    this.announced.set(subject, replicas);
    this.subscriptions.add(subject, {
      callback: (error, message) => {
        if (!error) replicas.announce(message.json<{ data: ReplicaNotice }>().data);
      },
    });
    return replicas;
  }

  /** Called after a reconnection, before which announcements were missed. */
  forgetAll(): void {
    for (const replicas of this.announced.values()) replicas.forgetAll();
  }
}
