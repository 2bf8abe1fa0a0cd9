import type { Store } from '@batuta/database';
import type { ErrorCode } from '@batuta/errors';
import type { Rpc } from '@batuta/messaging';
import { LogThrottle, type Logger, type Metrics } from '@batuta/observability';

/**
 * Adds the metrics of the connections to the database, and logs when it refuses the password, or when its certificate is refused. Only calls
 * that find no free connection are measured, so that the others are not slowed down.
 */
export function watchPool(store: Store, metrics: Metrics, logger: Logger): void {
  metrics.gauge(
    'batuta_database_pool_limit',
    'Maximum number of connections to the database.',
    () => store.poolState.limit,
  );
  metrics.gauge('batuta_database_pool_busy', 'Connections in use.', () => store.poolState.busy);
  metrics.gauge('batuta_database_pool_waiting', 'Callers that wait for a connection.', () => store.poolState.waiting);
  metrics.gauge('batuta_database_certificate_left_seconds', 'Time until the certificate of the database expires.', () =>
    secondsUntil(store.poolState.certificateEnd),
  );
  const waits = metrics.histogram(
    'batuta_database_pool_wait_seconds',
    'Waits for a connection that was not free at once.',
  );
  const refused = metrics.counter('batuta_database_pool_refused_total', 'Callers that got no connection in time.');
  // Every call may try to connect, and is refused again.
  const logSometimes = (message: string) => {
    const throttle = new LogThrottle();
    return (error: unknown) => {
      if (throttle.add() !== undefined) logger.error({ err: error }, message);
    };
  };
  store.watchPool({
    waited: (milliseconds) => waits.observe({}, milliseconds / 1_000),
    refused: () => refused.inc(),
    passwordRefused: logSometimes(
      'the database refuses the password of this service; if it was changed, the service needs the new one and a restart',
    ),
    tlsFailed: logSometimes(
      'no connection to the database can be encrypted; its certificate may have expired, or be of another authority',
    ),
  });
}

/** Adds the metrics of the connection to NATS. */
export function watchNats(rpc: Rpc, metrics: Metrics): void {
  metrics.gauge('batuta_nats_connected', '1 while the service is connected to NATS, else 0.', () =>
    Number(rpc.connected),
  );
  metrics.gauge('batuta_nats_certificate_left_seconds', 'Time until the certificate of the NATS server expires.', () =>
    secondsUntil(rpc.certificateEnd),
  );
}

/** Seconds until a time in epoch milliseconds, negative after it; NaN without a time. */
function secondsUntil(time: number | undefined): number {
  return time === undefined ? NaN : (time - Date.now()) / 1_000;
}

/** Counts the calls to other services that fail. */
export function countFailedCalls(metrics: Metrics): (subject: string, code: ErrorCode) => void {
  const help = 'Calls to other services that failed, by subject and error code.';
  const errors = metrics.counter('batuta_rpc_errors_total', help, ['subject', 'code']);
  return (subject, code) => errors.inc({ subject, code });
}
