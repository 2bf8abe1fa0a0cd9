import type { Store } from '@batuta/database';
import { repeat, type Logger, type Repetition } from '@batuta/observability';
import type { ScheduleConfig } from './config';
import type { BacklogService } from './firing/backlog.service';
import type { ClaimService } from './firing/claim.service';
import type { SendingService } from './firing/sending.service';
import { removeOldFirings, removeOrphans } from './schedules/removal';

interface Parts {
  store: Store;
  config: ScheduleConfig;
  claims: ClaimService;
  sending: SendingService;
  backlog: BacklogService;
}

/** All that this service does by itself; every replica does it, several at once share the work. */
export function startSweeps({ store, config, claims, sending, backlog }: Parts, logger: Logger): Repetition {
  let stopping = false;
  const stopped = () => stopping;
  const { TICK_MS, SWEEP_MS, FIRING_RETENTION_DAYS } = config;
  const repetitions = [
    repeat('due schedules', TICK_MS, () => claims.claim(stopped), logger),
    // Apart from claiming: an execution service that is silent for long must not keep times from being recorded.
    repeat('pending firings', TICK_MS, () => sending.send(stopped), logger),
    repeat('missed times', TICK_MS, () => backlog.drain(stopped), logger),
    repeat('schedules of deleted processes', SWEEP_MS, () => swept(removeOrphans(store)), logger),
    repeat('old firings', SWEEP_MS, () => swept(removeOldFirings(store, FIRING_RETENTION_DAYS)), logger),
  ];
  async function swept(removing: Promise<number>): Promise<void> {
    const removed = await removing;
    if (removed > 0) logger.info({ removed }, 'removed what nobody needs any more');
  }
  return {
    stop: async () => {
      stopping = true;
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
    },
  };
}
