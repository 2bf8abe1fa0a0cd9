import { createLogger, endOnSignals } from '@batuta/logging';

/**
 * Runs `main` of a service, which ends at once on SIGTERM or SIGINT until `main` calls `stopOnSignals`. When `main` fails, logs why as one
 * line, and exits with 1. Node itself would print a line of the bundle, which is many thousand characters long. The line is logged whatever
 * LOG_LEVEL is, because that setting may be the wrong one.
 */
export function runMain(service: string, main: () => Promise<void>): void {
  endOnSignals();
  main().catch((error: unknown) => {
    createLogger(service, 'fatal').fatal({ err: error }, 'the service could not start');
    process.exit(1);
  });
}
