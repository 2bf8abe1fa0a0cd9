import type { Logger } from '@batuta/logging';
import type { LoggerService } from '@nestjs/common';

/** Writes Nest's own messages to the service's logger; its start-up messages have the level debug. */
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
