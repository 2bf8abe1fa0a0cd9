import type { operations } from './generated/api';

type AnswersOf<Name extends keyof operations> = operations[Name]['responses'];
type CodeIn<Answer> = Answer extends { content: { 'application/json': { error: { code: infer Code } } } }
  ? Code
  : never;
type CodesOf<Name extends keyof operations> = {
  [Status in keyof AnswersOf<Name>]: CodeIn<AnswersOf<Name>[Status]>;
}[keyof AnswersOf<Name>];

/** Every code that the API's document lists. */
export type ErrorCode = { [Name in keyof operations]: CodesOf<Name> }[keyof operations] | 'NOT_FOUND';

interface Refusal {
  status: number;
  /** `UNREADABLE` when something on the way answered in place of the API. A newer API may have codes of its own. */
  code: ErrorCode | 'UNREADABLE' | (string & {});
  message: string;
  requestID?: string;
  /** From `Retry-After`, in seconds. */
  retryAfter?: number;
}

/** The API answered, and refused. */
export class BatutaError extends Error {
  override readonly name = 'BatutaError';
  readonly status: Refusal['status'];
  readonly code: Refusal['code'];
  readonly requestID: Refusal['requestID'];
  readonly retryAfter: Refusal['retryAfter'];

  constructor({ status, code, message, requestID, retryAfter }: Refusal) {
    super(message);
    this.status = status;
    this.code = code;
    this.requestID = requestID;
    this.retryAfter = retryAfter;
  }

  /** `body` is what came with the answer, whatever it is. */
  static of({ status, headers }: Response, body: unknown): BatutaError {
    const requestID = headers.get('x-request-id') ?? undefined;
    const retryAfter = readSeconds(headers.get('retry-after'));
    const error = isEnvelope(body)
      ? body.error
      : { code: 'UNREADABLE', message: `The answer with status ${status} is none of the API.` };
    return new BatutaError({ ...error, status, requestID, retryAfter });
  }
}

/** Nothing answered, or not in time; `cause` says more. Whether the call was carried out is not known. */
export class BatutaUnreachable extends Error {
  override readonly name = 'BatutaUnreachable';

  constructor(cause: unknown) {
    super('The API cannot be reached.', { cause });
  }
}

function isEnvelope(body: unknown): body is { error: { code: string; message: string } } {
  if (typeof body !== 'object' || body === null || !('error' in body)) return false;
  const { error } = body;
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return false;
  return typeof error.code === 'string' && typeof error.message === 'string';
}

function readSeconds(text: string | null): number | undefined {
  return text !== null && /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}
