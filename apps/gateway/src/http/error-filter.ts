import { ApiError } from '@batuta/errors';
import { currentRequestID, type Logger } from '@batuta/observability';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

/** Turns whatever was thrown into the envelope of contract 7. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const error = this.toApiError(thrown);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.status === 401) response.setHeader('WWW-Authenticate', 'Bearer');
    response.status(error.status).json(error.toEnvelope());
  }

  private toApiError(thrown: unknown): ApiError {
    if (thrown instanceof ApiError && thrown.code !== 'INTERNAL') return thrown;
    if (thrown instanceof HttpException && thrown.getStatus() === 404) {
      return new ApiError('NOT_FOUND', 'No such path, or not with this method.');
    }
    // The router could not decode the path.
    if (thrown instanceof HttpException && thrown.getStatus() === 400) {
      return new ApiError('BAD_REQUEST', 'path: is not a well-formed URL');
    }
    this.logger.error({ err: thrown }, 'unexpected fault');
    return new ApiError('INTERNAL', `An unexpected fault. Request id: ${currentRequestID() ?? 'unknown'}`);
  }
}
