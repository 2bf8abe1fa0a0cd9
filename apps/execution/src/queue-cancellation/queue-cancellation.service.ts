import { notifications } from '@batuta/contracts';
import { BiteSize, Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { faultPoint, LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import type { InstanceRow } from '../instances/instance-row';
import { cancelBite, endCancellation, environmentsWithCancellation } from './queue-cancellation.repository';

/**
 * Ends the instances of cancelled queues in bites. If a replica dies during a bite, another replica ends those
 * instances.
 */
@Injectable()
export class QueueCancellationService {
  private readonly size = new BiteSize();

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Cancels a bite of each environment's queue in turn, until no bite finds an instance or the service stops, so that no environment waits
   * for the long queue of another.
   */
  async sweep(isStopping = () => false): Promise<void> {
    for (let progress = true; progress && !isStopping();) {
      progress = false;
      let environmentIDs = await environmentsWithCancellation(this.store);
      while (environmentIDs.length > 0) {
        for (const environmentID of environmentIDs) {
          if (isStopping()) return;
          progress = (await this.cancel(environmentID)) || progress;
        }
        environmentIDs = await environmentsWithCancellation(this.store, environmentIDs.at(-1));
      }
    }
  }

  /**
   * Cancels a bite of an environment's queue; returns whether it ended an instance. An error of one environment is logged and
   * does not stop the others.
   */
  private async cancel(environmentID: string): Promise<boolean> {
    try {
      let ended: InstanceRow[] = [];
      await this.size.run(async (rows) => {
        ended = await cancelBite(this.store, environmentID, rows);
        return ended.length;
      });
      if (ended.length > 0) faultPoint('execution:after-cancel-batch');
      for (const row of ended) this.changes.notifyEnd(row);
      // Pending claims may have skipped an instance that was queued during the cancellation.
      if (ended.length === 0 && (await endCancellation(this.store, environmentID))) {
        this.rpc.notify(notifications.work, { environmentID });
      }
      return ended.length > 0;
    } catch (error) {
      this.logger.warn(
        { err: error, environmentID },
        'a bite of queued instances was not cancelled; it is tried again',
      );
      return false;
    }
  }
}
