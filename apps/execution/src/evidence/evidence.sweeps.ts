import { Store } from '@batuta/database';
import { LOGGER, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { EvidenceMover } from './evidence-mover';
import { EvidenceRemover } from './evidence-remover';
import { UPLOAD_TIME_LIMIT_MINUTES } from './evidence-upload.service';
import { abandonedUploads, completePicturesAt, locationsOf, pageOfPictures } from './evidence-list.repository';
import { deleteEvidence } from './evidence.repository';
import { RemovalFaults } from './removal-faults';
import { EvidenceStores } from './stores/evidence-stores';
import type { ObjectStore } from './stores/object-store';

/** Pictures per step of a sweep, except the move, which takes all; later sweeps take the others. */
const PAGE_SIZE = 500;
/** The greatest id of a picture. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

interface FailedStep {
  step: string;
  error: unknown;
}

/**
 * Finds what a lost agent, a lost notification or a crash left: unfinished uploads, pictures of deleted processes
 * and instances, objects without a row and rows without an object. Several replicas may sweep at the same time.
 */
@Injectable()
export class EvidenceSweeps implements OnApplicationBootstrap {
  /** The id after which the next sweep of this replica continues, by list of pictures. */
  private readonly positions = new Map<string, string>();

  constructor(
    private readonly store: Store,
    private readonly stores: EvidenceStores,
    private readonly remover: EvidenceRemover,
    private readonly mover: EvidenceMover,
    private readonly tasks: PeriodicTasks,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(EXECUTION_CONFIG) private readonly config: ExecutionConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('evidence', this.config.RETENTION_SWEEP_MS, async () => requireAll(await this.sweep()));
  }

  /** Returns the steps that failed: one of them, for example while the bucket is unavailable, does not stop the others. */
  async sweep(): Promise<FailedStep[]> {
    const steps: [string, () => Promise<void>][] = [
      ['the removal of unfinished uploads', () => this.removeAbandoned()],
      ['the removal of pictures without an instance', () => this.removeOrphans()],
      ...this.stores.all.map((store): [string, () => Promise<void>] => [
        `the comparison with the pictures in ${store.location || 'the database'}`,
        () => this.compare(store),
      ]),
      ['the move to the bucket', () => this.mover.moveAll()],
    ];
    const failed: FailedStep[] = [];
    for (const [step, run] of steps) await run().catch((error: unknown) => failed.push({ step, error }));
    return failed;
  }

  private async removeAbandoned(): Promise<void> {
    await this.remover.removeAll(await abandonedUploads(this.store, UPLOAD_TIME_LIMIT_MINUTES, PAGE_SIZE));
  }

  private async removeOrphans(): Promise<void> {
    const page = await pageOfPictures(this.store, this.positionIn('rows'), PAGE_SIZE);
    // The position moves before the removal, so that a picture that cannot be removed delays no other page.
    this.continueAfter('rows', page.length < PAGE_SIZE ? undefined : page.at(-1)?.evidence_id);
    await this.remover.removeAll(page.filter(({ orphaned }) => orphaned === 1));
  }

  /** Compares a page of a store with the rows of the same ids, and removes objects without a row and rows without an object. */
  private async compare(store: ObjectStore): Promise<void> {
    const list = `objects of ${store.location}`;
    const after = this.positionIn(list);
    const ids = await store.list(after, PAGE_SIZE);
    const last = ids.length < PAGE_SIZE ? LAST_ID : (ids.at(-1) ?? LAST_ID);
    this.continueAfter(list, last === LAST_ID ? undefined : last);
    await this.removeWithoutObject(store, { after, last, ids: new Set(ids) });
    await this.removeWithoutRow(store, ids);
  }

  private async removeWithoutRow(store: ObjectStore, ids: string[]): Promise<void> {
    const rows = new Map((await locationsOf(this.store, ids)).map((row) => [row.evidence_id, row.location]));
    const faults = new RemovalFaults();
    for (const id of ids) {
      if (faults.isAway(store.location)) break;
      const location = rows.get(id);
      // While a picture moves, its object exists and its row still names the database.
      const isNamed = location === store.location || location === this.stores.database.location;
      if (!isNamed) await store.remove(id).catch((error: unknown) => faults.add(store.location, error));
    }
    faults.throwFirst();
  }

  /** Looks for each picture once more, because it may have reached the store after the list was read. */
  private async removeWithoutObject(
    store: ObjectStore,
    { after, last, ids }: { after: string; last: string; ids: Set<string> },
  ): Promise<void> {
    const { location } = store;
    const complete = await completePicturesAt(this.store, location, { after, last, limit: PAGE_SIZE });
    for (const evidenceID of complete.filter((id) => !ids.has(id))) {
      if (await store.read(evidenceID, 0, 1)) continue;
      const row = { evidence_id: evidenceID, location };
      const deleted = await this.store.transaction((tx) => deleteEvidence(tx, row));
      if (deleted) this.logger.warn({ evidenceID, location }, 'the bytes of a picture were lost; its row is deleted');
    }
  }

  private positionIn(list: string): string {
    return this.positions.get(list) ?? '';
  }

  private continueAfter(list: string, id: string | undefined): void {
    if (id === undefined) this.positions.delete(list);
    else this.positions.set(list, id);
  }
}

/** Throws one error for all steps that failed, so that their periodic task counts as failed. */
function requireAll(failed: FailedStep[]): void {
  const [first] = failed;
  if (!first) return;
  const texts = failed.map(({ step, error }) => `${step} (${error instanceof Error ? error.message : String(error)})`);
  throw new Error(`Failed: ${texts.join('; ')}`, { cause: first.error });
}
