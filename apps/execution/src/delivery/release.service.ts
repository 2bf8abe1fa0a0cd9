import { notifications, type HeldInstance } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { lockInstances } from '../instances/instance.repository';
import { transition } from '../instances/transition';
import { requeue } from './requeue';

/** Releases: a session returns instances that it claimed and that were not granted; they are requeued. */
@Injectable()
export class ReleaseService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
  ) {}

  /**
   * Requeues the instances at their old positions and returns how many. An instance that was granted, or that the session no longer has, is not
   * changed.
   */
  async release(sessionID: string, instances: HeldInstance[]): Promise<number> {
    const environmentIDs: string[] = [];
    try {
      for (const { instanceID, fence } of instances) {
        const environmentID = await this.releaseOne(instanceID, fence, sessionID);
        if (!environmentID) continue;
        environmentIDs.push(environmentID);
        this.changes.notify(instanceID);
      }
    } finally {
      // The notifications are sent after a failure, too: when the router repeats the request, these instances are queued already, and the
      // repeated request sends none for them.
      for (const environmentID of new Set(environmentIDs)) {
        this.rpc.notify(notifications.work, { environmentID, from: sessionID });
      }
    }
    return environmentIDs.length;
  }

  /** Returns the environment of the requeued instance; undefined when the instance was granted, or when the session no longer has it. */
  private async releaseOne(instanceID: string, fence: number, sessionID: string): Promise<string | undefined> {
    return this.store.transaction(async (tx) => {
      const [row] = await lockInstances(tx, [instanceID]);
      if (!row || row.fence !== fence || row.session_id !== sessionID) return undefined;
      const change = transition(row, { type: 'release' });
      if ('refused' in change) return undefined;
      await requeue(tx, row, change);
      return row.environment_id;
    });
  }
}
