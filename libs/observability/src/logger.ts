import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';
import { currentRequestID } from './request-context';

export type { Logger } from 'pino';

/** JSON lines on standard error; every line carries the service and the current request id. */
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

/** Nest's own messages, through the same logger; its start-up chatter goes to debug. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) =>
      logger[level]({ context: rest.at(-1) }, message instanceof Error ? message.stack : String(message));
  return {
    log: write('debug'),
    verbose: write('debug'),
    debug: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
