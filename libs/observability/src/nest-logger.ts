import type { Logger } from '@batuta/logging';
import type { LoggerService } from '@nestjs/common';

/** Nest logs the errors of these contexts and throws them too; whoever catches them logs them. */
const CONTEXTS_OF_THROWN_ERRORS: unknown[] = ['NestApplication', 'ExceptionHandler'];

/** Writes Nest's own messages to the service's logger; its start-up messages, and errors that it throws too, have the level debug. */
export function nestLogger(logger: Logger): LoggerService {
  const write =
    (level: 'debug' | 'warn' | 'error' | 'fatal') =>
    (message: unknown, ...rest: unknown[]) => {
      const context = rest.at(-1);
      const isThrown = level === 'error' && CONTEXTS_OF_THROWN_ERRORS.includes(context);
      logger[isThrown ? 'debug' : level]({ context }, message instanceof Error ? message.stack : String(message));
    };
  return {
    log: write('debug'),
    verbose: write('debug'),
    debug: write('debug'),
    warn: write('warn'),
    error: write('error'),
    fatal: write('fatal'),
  };
}
