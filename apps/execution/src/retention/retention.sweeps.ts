import { Store } from '@batuta/database';
import { Metrics } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { EvidenceRemover } from '../evidence/evidence-remover';
import type { LocatedEvidence } from '../evidence/evidence.repository';
import { RemovalFaults } from '../evidence/removal-faults';
import { carryLedgers, deleteAuditEvents, removeDeletedProcesses } from './plan-retention.repository';
import {
  deleteInstances,
  deleteIdempotencyKeys,
  deleteLogsAndValues,
  deletePictures,
  deleteSealedAnswers,
  type PictureOptions,
  type RetentionResult,
} from './retention.repository';

/** Old rows are not in the cache of the database: reading a batch of them from the disk takes longer than a statement of a request may. */
const STATEMENT_TIME_LIMIT_MS = 60_000;

/** Deletes rows whose retention is over, in small batches, and ends early when the service stops. Several replicas may sweep at the same time. */
@Injectable()
export class RetentionSweeps implements OnApplicationBootstrap {
  private readonly behindSeconds;
  private readonly deletedRows;

  private readonly store: Store;
  private readonly deletedProcesses = { after: '' };
  private readonly continuation: PictureOptions['continuation'] = {};

  constructor(
    store: Store,
    private readonly tasks: PeriodicTasks,
    private readonly evidence: EvidenceRemover,
    metrics: Metrics,
    @Inject(EXECUTION_CONFIG) private readonly config: ExecutionConfig,
  ) {
    this.store = store.withStatementLimit(STATEMENT_TIME_LIMIT_MS);
    this.behindSeconds = metrics.gauges('batuta_retention_behind_seconds', 'How overdue the oldest row is.', ['what']);
    this.deletedRows = metrics.counter('batuta_retention_rows_total', 'Rows deleted by retention.', ['what']);
  }

  onApplicationBootstrap(): void {
    this.tasks.every('retention', this.config.RETENTION_SWEEP_MS, () => this.sweep());
  }

  /** Throws the first failure to delete a picture, at the end, when all metrics are set. */
  async sweep(): Promise<void> {
    const { INSTANCE_RETENTION_DAYS: days } = this.config;
    const isStopping = () => this.tasks.stopping;
    this.count('idempotency keys', await deleteIdempotencyKeys(this.store, isStopping));
    this.count('sealed answers', await deleteSealedAnswers(this.store, isStopping));
    this.count('log lines', await deleteLogsAndValues(this.store, isStopping));
    this.count('instances', await deleteInstances(this.store, days, isStopping));
    this.count('audit events', await deleteAuditEvents(this.store, isStopping));
    await removeDeletedProcesses(this.store, this.deletedProcesses);
    this.count('ledger entries', await carryLedgers(this.store, isStopping));
    // Pictures are deleted last, because their bucket may be unavailable.
    const remove = (picture: LocatedEvidence) => this.evidence.remove(picture);
    const faults = new RemovalFaults();
    this.count(
      'evidence',
      await deletePictures(this.store, remove, faults, { continuation: this.continuation, isStopping }),
    );
    faults.throwFirst();
  }

  private count(what: string, { rows, behindSeconds }: RetentionResult): void {
    this.behindSeconds.set({ what }, behindSeconds);
    this.deletedRows.inc({ what }, rows);
  }
}
