import { pino, type DestinationStream, type Logger } from 'pino';
import { loggedContext } from './request-context';

export type { Logger } from 'pino';

/** Writes JSON lines with the service's name and the ids of the current request and trace, to standard error unless a destination is given. */
export function createLogger(
  service: string,
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: true }),
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
