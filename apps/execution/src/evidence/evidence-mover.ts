import { Store } from '@batuta/database';
import { faultPoint, LOGGER, LogThrottle, withTenant, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { completePicturesInDatabase } from './evidence-list.repository';
import { findEvidence, moveToLocation } from './evidence.repository';
import { EvidenceStores } from './stores/evidence-stores';
import type { Bucket } from './stores/object-store';

/** Pictures per query. They move one after the other, because each takes up to 5 MB of memory. */
const PAGE_SIZE = 20;
const MAX_FAILURES = 3;

/**
 * Moves complete pictures from the database to the bucket, if there is one: right after their last part, and in a sweep
 * if an outage of the bucket or a crash has left them in the database. The object is written before the row names it.
 */
@Injectable()
export class EvidenceMover implements OnApplicationShutdown {
  private moving: Promise<void> | undefined;
  private isMoveRequested = false;
  /** The id after which the next round begins, so that the same refused pictures do not end each round. */
  private continuation = '';
  /** While the bucket is away, each new picture begins a move that fails. */
  private readonly failureLog = new LogThrottle();

  constructor(
    private readonly store: Store,
    private readonly stores: EvidenceStores,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Starts a move in the background, or another one after that in progress. A failure is logged, at most once a minute; the sweep tries again. */
  wake(): void {
    if (!this.stores.target) return;
    this.isMoveRequested = true;
    // The move has no tenant, because it takes the pictures of all tenants, not only of the one whose request begins it.
    this.moving ??= withTenant(undefined, () => this.moveWhileRequested()).finally(() => {
      this.moving = undefined;
    });
  }

  /**
   * Tries each complete picture, so that one that cannot be moved does not delay the others. Throws the first failure: at the end, or at once
   * after MAX_FAILURES of them, because the bucket is then probably away. After MAX_FAILURES the next round begins after the picture that failed
   * last; when it has reached the end, it begins anew from the smallest id, and tries pictures that failed in this round once more. Ends early
   * when the service stops.
   */
  async moveAll(): Promise<void> {
    const { target } = this.stores;
    if (!target) return;
    const first = this.continuation;
    this.continuation = '';
    const faults: unknown[] = [];
    await this.moveFrom(first, target, faults);
    if (first !== '') await this.moveFrom('', target, faults);
    if (faults.length > 0) throw faults[0];
  }

  async onApplicationShutdown(): Promise<void> {
    await this.moving;
  }

  private async moveWhileRequested(): Promise<void> {
    while (this.isMoveRequested && !this.tasks.stopping) {
      this.isMoveRequested = false;
      await this.moveAll().catch((error: unknown) => this.logFailure(error));
    }
  }

  private logFailure(error: unknown): void {
    const failures = this.failureLog.add();
    if (failures === undefined) return;
    this.logger.warn({ err: error, failures }, 'pictures stay in the database, because the bucket does not take them');
  }

  /**
   * Moves the pictures with ids after `first`, and adds failures to `faults`. At MAX_FAILURES, notes where the next round begins and throws the
   * first one.
   */
  private async moveFrom(first: string, target: Bucket, faults: unknown[]): Promise<void> {
    for (let page = await completePicturesInDatabase(this.store, first, PAGE_SIZE); page.length > 0;) {
      for (const { evidence_id: id, bytes } of page) {
        if (this.tasks.stopping) return;
        await this.move(target, id, bytes).catch((error: unknown) => faults.push(error));
        if (faults.length < MAX_FAILURES) continue;
        this.continuation = id;
        throw faults[0];
      }
      page = await completePicturesInDatabase(this.store, page.at(-1)?.evidence_id ?? '', PAGE_SIZE);
    }
  }

  private async move(target: Bucket, id: string, bytes: number): Promise<void> {
    const content = await this.stores.database.read(id, 0, bytes);
    // Another replica has moved the picture, or it was deleted.
    if (!content) return;
    await target.put(id, content);
    faultPoint('execution:evidence-in-bucket');
    const moved = await this.store.transaction((tx) => moveToLocation(tx, id, target.location));
    if (!moved && !(await findEvidence(this.store, id))) await target.remove(id);
  }
}
