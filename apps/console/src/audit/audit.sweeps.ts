import { Store } from '@batuta/database';
import { PeriodicTasks } from '@batuta/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONSOLE_CONFIG, type ConsoleConfig } from '../config';
import { deleteManagementEvents, recordDeletedProcesses } from './audit-retention.repository';

/**
 * Deletes old audit events of management, and records the processes that the previous release deleted. Several replicas
 * may do so at the same time.
 */
@Injectable()
export class AuditSweeps implements OnApplicationBootstrap {
  constructor(
    private readonly tasks: PeriodicTasks,
    private readonly store: Store,
    @Inject(CONSOLE_CONFIG) private readonly config: ConsoleConfig,
  ) {}

  onApplicationBootstrap(): void {
    this.tasks.every('audit retention', this.config.SWEEP_MS, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    await recordDeletedProcesses(this.store);
    await deleteManagementEvents(this.store, { isStopping: () => this.tasks.stopping });
  }
}
