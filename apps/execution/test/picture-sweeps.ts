import { createLogger, type Logger } from '@batuta/observability';
import { PeriodicTasks } from '@batuta/service';
import { SchedulerRegistry } from '@nestjs/schedule';
import { readExecutionConfig } from '../src/config';
import { EvidenceMover } from '../src/evidence/evidence-mover';
import { EvidenceQueryService } from '../src/evidence/evidence-query.service';
import { EvidenceRemover } from '../src/evidence/evidence-remover';
import { EvidenceSweeps } from '../src/evidence/evidence.sweeps';
import { EvidenceStores } from '../src/evidence/stores/evidence-stores';
import { waitUntil } from '../../../test/support/wait-until';
import type { ClaimedInstance } from './instances';
import type { ExecutionWorld } from './world';

/** The sweeps of another replica, which writes its log to `log` if it is given. */
export function sweepsOf(
  { store, env }: Pick<ExecutionWorld, 'store' | 'env'>,
  log?: { write: (line: string) => void },
) {
  const logger: Logger = createLogger('execution', log ? 'warn' : 'silent', log);
  const config = readExecutionConfig(env);
  const stores = new EvidenceStores(store, config);
  const tasks = new PeriodicTasks(new SchedulerRegistry(), logger);
  const remover = new EvidenceRemover(store, stores, tasks, logger);
  const mover = new EvidenceMover(store, stores, tasks, logger);
  const sweepTasks = new PeriodicTasks(new SchedulerRegistry(), logger);
  const often = { ...config, RETENTION_SWEEP_MS: 1 };
  const sweeps = new EvidenceSweeps(store, stores, remover, mover, sweepTasks, logger, often);
  return {
    sweep: () => sweeps.sweep(),
    /** Runs the periodic task of the sweeps until two runs have failed. */
    async runTaskUntilItFails() {
      sweeps.onApplicationBootstrap();
      await waitUntil('two runs have failed', () => sweepTasks.longestFailingMs > 0);
      await sweepTasks.stop();
    },
    remove: (row: Parameters<EvidenceRemover['remove']>[0]) => remover.remove(row),
    remover,
    mover,
    query: new EvidenceQueryService(store, stores, logger),
  };
}

export async function backdateUpload({ store }: ExecutionWorld, evidenceID: string, interval: string): Promise<void> {
  await store.write(`UPDATE evidence SET created_at = UTC_TIMESTAMP(3) - ${interval} WHERE evidence_id = ?`, [
    evidenceID,
  ]);
}

/** Makes the instance one that ended `days` ago and whose log lines retention has deleted. */
export async function backdateEnd(
  { store }: ExecutionWorld,
  { work: { instanceID } }: ClaimedInstance,
  days: number,
): Promise<void> {
  await store.write(
    `UPDATE instance SET status = 'success', has_log = 0, finished_at = UTC_TIMESTAMP(3) - INTERVAL ? DAY WHERE instance_id = ?`,
    [days, instanceID],
  );
}
