import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedContext } from './request-context';

export type { Logger } from 'pino';

const STANDARD_ERROR = 2;
/** Bytes of lines that wait while the disk is full; further lines are dropped. */
export const MAX_WAITING_LOG_BYTES = 1024 * 1024;
const DISK_RETRY_MS = 1_000;

/**
 * A log in an open file. While its disk is full, up to MAX_WAITING_LOG_BYTES of lines wait, further ones are dropped, and nothing else happens:
 * the program does its work without a log.
 */
export function logTo(fd: number): ReturnType<typeof pino.destination> {
  const destination = pino.destination({ dest: fd, sync: true, maxLength: MAX_WAITING_LOG_BYTES });
  // Without this listener an error of the disk would end the program.
  destination.on('error', () => undefined);
  retryFullDisk(destination);
  return destination;
}

/**
 * While lines are dropped, tries at most once a second to write those that wait. A drop alone writes nothing, so without this the log would stay
 * silent after the disk has room again.
 */
export function retryFullDisk(destination: ReturnType<typeof pino.destination>): void {
  let nextAt = -Infinity;
  destination.on('drop', () => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + DISK_RETRY_MS;
    // An empty write makes the destination write its waiting lines first. `flush` does nothing here, and `flushSync`
    // does not return while the disk is full.
    destination.write('');
  });
}

/** Writes JSON lines with the service's name and the ids of the current request and trace, to standard error unless a destination is given. */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = logTo(STANDARD_ERROR),
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: loggedContext,
      // An error of TypeORM has the values of its statement.
      redact: ['err.parameters', 'req.headers.authorization', 'req.headers.cookie', 'req.headers["x-process-key"]'],
    },
    destination,
  );
}
