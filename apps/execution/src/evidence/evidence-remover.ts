import { Store } from '@batuta/database';
import { faultPoint, LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable } from '@nestjs/common';
import { picturesOfDeletedProcess } from './evidence-list.repository';
import { deleteEvidence, type LocatedEvidence } from './evidence.repository';
import { RemovalFaults } from './removal-faults';
import { EvidenceStores } from './stores/evidence-stores';

const PAGE_SIZE = 100;

/**
 * Deletes pictures, each in a transaction of its own. The row is deleted after the object, so that a crash between the
 * two leaves a row, and a sweep repeats the deletion.
 */
@Injectable()
export class EvidenceRemover {
  constructor(
    private readonly store: Store,
    private readonly stores: EvidenceStores,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Throws UNAVAILABLE while the bucket is away or refuses the removal. The object of a bucket that no setting names stays,
   * and the row is deleted.
   */
  async remove(picture: LocatedEvidence): Promise<void> {
    const { evidence_id: evidenceID, location } = picture;
    // Parts in the database are deleted with the row.
    if (location !== this.stores.database.location) await this.removeObject(evidenceID, location);
    faultPoint('execution:evidence-object-removed');
    await this.store.transaction((tx) => deleteEvidence(tx, picture));
  }

  /**
   * Removes the pictures one after the other, except those of a store that is away, and throws the first failure at the end. Ends early when the
   * service stops; a sweep removes the rest.
   */
  async removeAll(pictures: LocatedEvidence[]): Promise<void> {
    const faults = new RemovalFaults();
    for (const picture of pictures) {
      if (this.tasks.stopping) break;
      if (faults.isAway(picture.location)) continue;
      await this.remove(picture).catch((error: unknown) => faults.add(picture.location, error));
    }
    faults.throwFirst();
  }

  /** Removes the pictures of a process that was deleted; does nothing for a process that exists. */
  async removeOfProcess(processID: string): Promise<void> {
    const read = () => picturesOfDeletedProcess(this.store, processID, PAGE_SIZE);
    for (let page = await read(); page.length > 0 && !this.tasks.stopping;) {
      await this.removeAll(page);
      page = await read();
    }
  }

  private async removeObject(evidenceID: string, location: string): Promise<void> {
    const bucket = this.stores.at(location);
    if (bucket) return bucket.remove(evidenceID);
    this.logger.warn({ evidenceID, location }, 'the object of a deleted picture stays: no setting names its bucket');
  }
}
