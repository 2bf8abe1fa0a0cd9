import { constants } from 'node:os';
import type { Logger } from './logger';

const STOP_SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process at once on SIGTERM or SIGINT, with the exit code that a shell gives (143, 130), until `stopOnSignals` is called. Without
 * a handler, process 1 of a container ignores both signals.
 */
export function endOnSignals(): void {
  for (const signal of STOP_SIGNALS) process.on(signal, endNow);
}

/** Closes the service on SIGTERM or SIGINT and exits; a second signal exits at once. Only `main` calls it. */
export function stopOnSignals(service: { close(): Promise<void> }, logger: Logger): void {
  let stopping = false;
  const stop = (signal: string) => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.info({ signal }, 'the service stops');
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        logger.error({ err: error }, 'the service did not stop cleanly');
        process.exit(1);
      },
    );
  };
  for (const signal of STOP_SIGNALS) process.on(signal, stop).off(signal, endNow);
}

function endNow(signal: NodeJS.Signals): void {
  process.exit(128 + constants.signals[signal]);
}
