import { ApiError } from '@batuta/errors';
import { answerUnread, currentRequestID, isUnreadBody, type Logger } from '@batuta/observability';
import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Request, Response } from 'express';

/** Headers of the answer that is refused, which a route, or Express where it serves a file, may have set. */
const HEADERS_OF_ANSWER = ['Accept-Ranges', 'Content-Encoding', 'Content-Type', 'ETag', 'Last-Modified'];
const RANGE_NOT_SATISFIABLE = 416;

export interface EnvelopeOptions {
  /** Message of NOT_FOUND for a path without a route; by default the one in ERROR_CODES. */
  notFoundMessage?: string;
  /** The message of the code INTERNAL. */
  internalMessage?: (requestID: string) => string;
  /** Translates errors of libraries first, such as those of an unavailable database; undefined leaves an error as it is. */
  translate?: (thrown: unknown) => unknown;
  /** Headers of a refusal besides the envelope, unless they are set already. */
  headersOf?: (error: ApiError) => Record<string, string>;
  /** Called for every error, with the ApiError that it becomes, also when the answer has begun and its connection is cut. */
  onError?: (error: ApiError, request: Request) => void;
}

/**
 * Answers every error that an HTTP route throws with the envelope of contract 7, or cuts the connection when the answer has begun. An error
 * that, after `translate`, is neither an ApiError nor a refusal of Nest or Express becomes INTERNAL. It is logged, as an ApiError INTERNAL is, and
 * the caller learns at most the request id.
 */
@Catch()
export class EnvelopeFilter implements ExceptionFilter {
  constructor(
    private readonly logger: Logger,
    private readonly options: EnvelopeOptions = {},
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const response = host.switchToHttp().getResponse<Response>();
    const request = host.switchToHttp().getRequest<Request>();
    const error = this.toApiError(this.options.translate?.(thrown) ?? thrown);
    this.options.onError?.(error, request);
    if (response.headersSent) {
      // Cuts the connection, so that the client does not take the part that it already has for the whole answer.
      response.destroy();
      return;
    }
    for (const [name, value] of Object.entries(this.options.headersOf?.(error) ?? {})) {
      // The code that refused the request may have set the exact value, such as the end of the minute.
      if (!response.hasHeader(name)) response.setHeader(name, value);
    }
    for (const name of HEADERS_OF_ANSWER) response.removeHeader(name);
    // A file that caches may keep for a year can be refused, for example because of a range.
    response.setHeader('Cache-Control', 'no-store');
    // No error code has this status, by which clients that resume a download recognize that nothing is missing.
    const isOutOfRange = httpStatusOf(thrown) === RANGE_NOT_SATISFIABLE;
    response.status(isOutOfRange ? RANGE_NOT_SATISFIABLE : error.status);
    if (isUnreadBody(request)) answerUnread(request, response, error.toEnvelope());
    else response.json(error.toEnvelope());
  }

  private toApiError(thrown: unknown): ApiError {
    if (thrown instanceof ApiError && thrown.code !== 'INTERNAL') return thrown;
    return this.toRefusal(thrown) ?? this.toInternal(thrown);
  }

  /**
   * Nest itself refuses a path without a route (404) and a path that it cannot decode (400), and Express a request for a file whose range (416)
   * or condition (412) does not fit the file.
   */
  private toRefusal(thrown: unknown): ApiError | undefined {
    const status = httpStatusOf(thrown);
    if (status === 404) return new ApiError('NOT_FOUND', this.options.notFoundMessage);
    if (status === 400) return new ApiError('BAD_REQUEST', 'path: is not a well-formed URL');
    if (status === 412) return new ApiError('PRECONDITION_FAILED', 'The file does not meet the condition.');
    if (status === RANGE_NOT_SATISFIABLE) return new ApiError('BAD_REQUEST', 'Range: is outside of the file');
    return undefined;
  }

  private toInternal(thrown: unknown): ApiError {
    const fault = thrown instanceof Error ? thrown.stack : typeof thrown;
    // Only the stack is logged: the other members of a database error hold the values of the statement.
    this.logger.error({ fault }, 'a request failed with an unexpected fault');
    return new ApiError('INTERNAL', this.options.internalMessage?.(currentRequestID() ?? 'unknown'));
  }
}

/** The status of an error that Nest has made, or mapped from one of Express; undefined for any other. */
function httpStatusOf(thrown: unknown): number | undefined {
  return thrown instanceof HttpException ? thrown.getStatus() : undefined;
}
