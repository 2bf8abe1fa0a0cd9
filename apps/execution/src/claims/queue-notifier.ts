import { notifications } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';

/** Instances that are queued in one environment within this time after a notification share the next one. */
export const NOTIFICATION_INTERVAL_MS = 20;

/** An environment that was notified within the interval. */
interface NotifiedQueue {
  timer: NodeJS.Timeout;
  /** True when an instance was queued since the notification. */
  isDue: boolean;
}

/**
 * Notifies all replicas of execution and router that an environment has queued instances: the first instance at once, those of the
 * next 20 ms together, because each notification wakes every replica.
 */
@Injectable()
export class QueueNotifier implements OnModuleDestroy {
  private readonly notified = new Map<string, NotifiedQueue>();
  private closed = false;

  constructor(private readonly rpc: Rpc) {}

  /** To be called after the commit. */
  onQueued(environmentID: string): void {
    const queue = this.notified.get(environmentID);
    if (this.closed) this.send(environmentID);
    else if (queue) queue.isDue = true;
    else this.notify(environmentID);
  }

  /** From now on each instance is notified at once, because the connection to NATS closes soon. */
  onModuleDestroy(): void {
    this.closed = true;
    for (const [environmentID, { timer, isDue }] of this.notified) {
      clearTimeout(timer);
      if (isDue) this.send(environmentID);
    }
    this.notified.clear();
  }

  private notify(environmentID: string): void {
    const timer = setTimeout(() => this.endInterval(environmentID), NOTIFICATION_INTERVAL_MS);
    this.notified.set(environmentID, { timer, isDue: false });
    // The replies to the starts, which are sent in this turn of the event loop, go first.
    setImmediate(() => this.send(environmentID));
  }

  private endInterval(environmentID: string): void {
    const isDue = this.notified.get(environmentID)?.isDue;
    this.notified.delete(environmentID);
    if (isDue) this.notify(environmentID);
  }

  private send(environmentID: string): void {
    this.rpc.notify(notifications.work, { environmentID });
  }
}
