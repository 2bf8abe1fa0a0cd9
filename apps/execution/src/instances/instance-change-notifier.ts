import { notifications } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import type { InstanceRow } from './instance-row';

/**
 * Changes within this interval share one notification: clients do not notice the delay, and busy replicas send fewer
 * messages.
 */
const BATCH_INTERVAL_MS = 20;

/** Notifies gateways of changed instances, so that they read the news for the clients that follow these instances. */
@Injectable()
export class InstanceChangeNotifier {
  private batch: Set<string> | undefined;

  constructor(private readonly rpc: Rpc) {}

  /** To be called after the commit of the change. */
  notify(instanceID: string): void {
    if (this.batch) {
      this.batch.add(instanceID);
      return;
    }
    const batch = new Set([instanceID]);
    this.batch = batch;
    setTimeout(() => {
      this.batch = undefined;
      this.rpc.notify(notifications.instancesChanged, { instanceIDs: [...batch] });
    }, BATCH_INTERVAL_MS).unref();
  }

  /** To be called after the commit of an end that no report brought; also notifies the gateway whose caller may wait for the instance. */
  notifyEnd({ instance_id: instanceID, awaited }: Pick<InstanceRow, 'instance_id' | 'awaited'>): void {
    if (awaited === 1) this.rpc.notify(notifications.answered, { instanceID });
    this.notify(instanceID);
  }
}
