import { pino, type Logger } from 'pino';
import { currentRequestID } from './request-context';

export type { Logger } from 'pino';

/** Writes JSON lines with the service's name and the current request id to standard error. */
export function createLogger(service: string, level: string): Logger {
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
    pino.destination({ dest: 2, sync: true }),
  );
}
