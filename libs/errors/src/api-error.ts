import { ERROR_CODES, isErrorCode, type ErrorCode } from './codes';

/** Body of every error answer (contract 7). */
export interface ErrorEnvelope {
  error: { code: ErrorCode; message: string };
}

/** What travels over NATS in place of a reply. */
export interface WireError {
  code: ErrorCode;
  message: string;
}

/** The one error that domain code throws: a stable code and a readable message. */
export class ApiError extends Error {
  override readonly name = 'ApiError';

  constructor(
    readonly code: ErrorCode,
    message?: string,
  ) {
    super(message ?? ERROR_CODES[code].when);
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

  /** Turns what came over the wire back into the error that was thrown; anything unknown is INTERNAL. */
  static fromWire(wire: { code?: unknown; message?: unknown }): ApiError {
    return isErrorCode(wire.code) ? new ApiError(wire.code, String(wire.message)) : new ApiError('INTERNAL');
  }
}
