import { ERROR_CODES, isErrorCode, type ErrorCode } from './codes';

/** The body of every HTTP error (contract 7). */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string };
}

/** An error as a NATS message, in place of a reply. */
export interface WireError {
  code: ErrorCode;
  message: string;
}

/**
 * An error of which a client gets the stable code and the readable message, by default the one in ERROR_CODES. Of an ApiError INTERNAL, and of
 * any other Error that no filter translates, an HTTP client learns the code INTERNAL and at most the request id.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    message?: string,
    /** `cause` is for logs alone; no client gets it. */
    options?: ErrorOptions,
  ) {
    super(message ?? ERROR_CODES[code].when, options);
  }

  get status(): number {
    return ERROR_CODES[this.code].status;
  }

  toEnvelope(): ErrorEnvelope {
    return { error: this.toWire() };
  }

  toWire(): WireError {
    return { code: this.code, message: this.message };
  }

  /** Restores the ApiError that a NATS message carries; an unknown code becomes INTERNAL. */
  static fromWire(wire: { code?: unknown; message?: unknown }): ApiError {
    return isErrorCode(wire.code) ? new ApiError(wire.code, String(wire.message)) : new ApiError('INTERNAL');
  }
}
