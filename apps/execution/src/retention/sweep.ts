import type { Store } from '@batuta/database';
import { repeat, type Logger, type Metrics, type Repetition } from '@batuta/observability';
import type { ExecutionSettings } from '../config';
import { cutInstances, cutKeys, cutLogs, type Cut } from './retention';

/** Cuts what is kept no longer, a little at a time; any replica may, several at once do no harm. */
export function startRetention(store: Store, config: ExecutionSettings, metrics: Metrics, logger: Logger): Repetition {
  const behind = metrics.gauges('batuta_retention_behind_seconds', 'How overdue the oldest row is.', ['what']);
  const rows = metrics.counter('batuta_retention_rows_total', 'Rows cut by retention.', ['what']);
  const note = (what: string, cut: Cut) => {
    behind.set({ what }, cut.behindSeconds);
    rows.inc({ what }, cut.rows);
  };
  return repeat(
    'retention',
    config.RETENTION_SWEEP_MS,
    async () => {
      note('idempotency keys', await cutKeys(store));
      note('log lines', await cutLogs(store, config.INSTANCE_RETENTION_DAYS));
      note('instances', await cutInstances(store, config.INSTANCE_RETENTION_DAYS));
    },
    logger,
  );
}
