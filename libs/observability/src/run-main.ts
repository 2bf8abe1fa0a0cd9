import { createLogger, endOnSignals } from '@batuta/logging';

/**
 * Runs `main` of a service, which ends at once on SIGTERM or SIGINT until `main` calls `stopOnSignals`. When `main` fails, or later an error that
 * nothing catches ends the service, logs why as one line, and exits with 1. Node itself would print a line of the bundle, which is many thousand
 * characters long. The line is logged whatever LOG_LEVEL is, because that setting may be the wrong one.
 */
export function runMain(service: string, main: () => Promise<void>): void {
  const endBy = (error: unknown, message: string) => {
    createLogger(service, 'fatal').fatal({ err: error }, message);
    process.exit(1);
  };
  endOnSignals();
  // A rejection that nothing handles comes here, too.
  process.on('uncaughtException', (error) => endBy(error, 'an error that nothing caught ended the service'));
  main().catch((error: unknown) => endBy(error, 'the service could not start'));
}
