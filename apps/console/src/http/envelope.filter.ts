import { databaseFault } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import type { Logger } from '@batuta/observability';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';
import { REQUEST_ID } from './request-id';

const RETRY_SECONDS = '60';

/** Everything that is thrown leaves as `{error: {code, message}}`; what nobody foresaw as INTERNAL, without detail. */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const error = this.toApiError(thrown, String(response.getHeader(REQUEST_ID)));
    if (response.headersSent) return;
    if (error.code === 'RATE_LIMITED') response.setHeader('Retry-After', RETRY_SECONDS);
    response.status(error.status).json(error.toEnvelope());
  }

  private toApiError(thrown: unknown, requestID: string): ApiError {
    const error = databaseFault(thrown);
    if (error instanceof ApiError && error.code !== 'INTERNAL') return error;
    const foreseen = refusalOf(error);
    if (foreseen) return foreseen;
    // Only the stack: the other members of a database error hold the statement's values.
    this.logger.error({ fault: error instanceof Error ? error.stack : typeof error }, 'unexpected fault');
    return new ApiError('INTERNAL', `An unexpected fault; request id ${requestID}.`);
  }
}

/** What Nest refuses by itself: a path without a route, or one that cannot be decoded. */
function refusalOf(error: unknown): ApiError | undefined {
  const status = error instanceof HttpException ? error.getStatus() : undefined;
  if (status === 404) return new ApiError('NOT_FOUND');
  if (status === 400) return new ApiError('BAD_REQUEST', 'path: is not a well-formed URL');
  return undefined;
}
