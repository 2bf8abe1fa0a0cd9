import { ApiError } from '@batuta/errors';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Response } from 'express';

/** Over HTTP the router serves health and metrics only; anything else is answered in the envelope (interpretation 18). */
@Catch(HttpException)
export class EnvelopeFilter implements ExceptionFilter<HttpException> {
  catch(error: HttpException, host: ArgumentsHost): void {
    const status = error.getStatus();
    const code = status === 404 ? 'NOT_FOUND' : status < 500 ? 'BAD_REQUEST' : 'INTERNAL';
    const answer = new ApiError(code);
    host.switchToHttp().getResponse<Response>().status(answer.status).json(answer.toEnvelope());
  }
}
