import type { Logger } from '@batuta/logging';

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
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
