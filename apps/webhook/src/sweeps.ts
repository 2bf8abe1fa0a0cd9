import type { Store } from '@batuta/database';
import { repeat, type Logger, type Repetition } from '@batuta/observability';
import type { WaitingService } from './calls/waiting.service';
import type { WebhookConfig } from './config';
import { removeOrphans } from './orphans';

interface Parts {
  store: Store;
  config: WebhookConfig;
  waiting: WaitingService;
}

/** All that this service does by itself; every replica does it, several at once share the work. */
export function startSweeps({ store, config, waiting }: Parts, logger: Logger): Repetition {
  const repetitions = [
    repeat('places that ran out', config.SWEEP_MS, () => swept(waiting.removeExpired()), logger),
    repeat('origins of deleted processes', config.SWEEP_MS, () => swept(removeOrphans(store)), logger),
  ];
  async function swept(removing: Promise<number>): Promise<void> {
    const removed = await removing;
    if (removed > 0) logger.info({ removed }, 'removed what nobody needs any more');
  }
  return {
    stop: async () => {
      await Promise.all(repetitions.map((repetition) => repetition.stop()));
    },
  };
}
