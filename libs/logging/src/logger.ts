import { pino, type DestinationStream, type Logger } from 'pino';
import { currentRequestID } from './request-context';

export type { Logger } from 'pino';

/** Writes JSON lines with the service's name and the current request id, to standard error unless a destination is given. */
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
      mixin: () => {
        const requestID = currentRequestID();
        return requestID === undefined ? {} : { requestID };
      },
      redact: ['req.headers.authorization', 'req.headers.cookie', 'req.headers["x-process-key"]'],
    },
    destination,
  );
}
