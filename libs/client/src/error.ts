import type { StartRefusal } from './generated/api';

/** Every error code of the OpenAPI document. */
export type ErrorCode = StartRefusal['code'];

/** Eleven days, for which a timer can wait. */
const MAX_RETRY_AFTER_SECONDS = 1_000_000;

interface Refusal {
  status: number;
  /** `UNREADABLE` when the answer has no error envelope, for instance the answer of a proxy. A newer API may have further codes. */
  code: ErrorCode | 'UNREADABLE' | (string & {});
  message: string;
  requestID?: string;
  /** The seconds of the header `Retry-After`, or until its date; undefined when the answer has none that can be read; at most 1,000,000. */
  retryAfter?: number;
}

/** An error answer of the API. */
export class BatutaError extends Error {
  override readonly name = 'BatutaError';
  readonly status: Refusal['status'];
  readonly code: Refusal['code'];
  readonly requestID: Refusal['requestID'];
  readonly retryAfter: Refusal['retryAfter'];
  /** The instance whose end `startAndWait` could not learn. */
  instanceID?: string;

  constructor({ status, code, message, requestID, retryAfter }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestID = requestID;
    this.retryAfter = retryAfter;
  }

  /** The error of an answer with any body. */
  static of({ status, headers }: Response, body: unknown): BatutaError {
    const requestID = headers.get('x-request-id') ?? undefined;
    const retryAfter = secondsToWait(headers);
    const error = isEnvelope(body)
      ? body.error
      : { code: 'UNREADABLE', message: unreadableMessage(status, headers.get('location')) };
    return new BatutaError({ ...error, status, requestID, retryAfter });
  }
}

/**
 * No answer of the API arrived, or not in time; the call may or may not have taken effect. `cause` is the error of `fetch`, or that of an
 * answer which is no JSON, as a server at a wrong address gives.
 */
export class BatutaUnreachable extends Error {
  override readonly name = 'BatutaUnreachable';
  /** The instance whose end `startAndWait` could not learn. */
  instanceID?: string;

  constructor(cause: unknown) {
    const isNoJson = Object(cause).name === 'SyntaxError';
    super(isNoJson ? 'The answer does not come from the API; is the address right?' : 'The API cannot be reached.', {
      cause,
    });
  }
}

/**
 * No attempt can send the call: its address is no http or https URL or has a user, its Idempotency-Key is refused, its body is no JSON, its time
 * limit is no number, or a header cannot carry its secret.
 */
export class UnsendableCall extends TypeError {
  override readonly name = 'UnsendableCall';
}

function isEnvelope(body: unknown): body is { error: { code: string; message: string } } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false;
  return typeof error.code === 'string' && typeof error.message === 'string';
}

function unreadableMessage(status: number, location: string | null): string {
  const isRedirect = status >= 300 && status < 400 && location !== null;
  if (isRedirect) return `The address redirects to ${location}, which is not followed; is the address right?`;
  return `The answer with status ${status} is none of the API.`;
}

/** A date is compared with that of the answer, because the clock of the server may differ. */
function secondsToWait(headers: Headers): number | undefined {
  const text = headers.get('retry-after') ?? '';
  if (/^\d+$/.test(text)) return Math.min(Number(text), MAX_RETRY_AFTER_SECONDS);
  const date = text.endsWith(' GMT') ? Date.parse(text) : NaN;
  if (Number.isNaN(date)) return undefined;
  const seconds = Math.ceil((date - (Date.parse(headers.get('date') ?? '') || Date.now())) / 1_000);
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
