import { ERROR_CODES, isErrorCode } from '@batuta/errors';
import * as s from '../support/shape';
import type { ApiDescription, ApiOperation } from './openapi-document';
import type { RawAnswer } from './raw-http';

const errorEnvelopeShape = s.exactObject({ error: s.exactObject({ code: s.text(), message: s.nonEmptyText }) });

/** Statuses of Node's HTTP server for requests that it cannot read; the API has no codes for them. */
const HTTP_SERVER_STATUSES = [408, 417, 431];

const MOMENTARY_CODES = ['UNAVAILABLE', 'ROUTER_ERROR'];

/** Statuses of refusals for which the request itself was valid: they depend on the state of the stored data. */
const STATE_STATUSES = [402, 403, 409, 429];

/** Whether the request passed validation: it succeeded, or was refused because of the state of the stored data. */
export function passedValidation({ status }: RawAnswer): boolean {
  return status < 400 || STATE_STATUSES.includes(status);
}

/** The rule that this answer violates, or undefined. A mutated request may miss its route. */
export function violationOf(
  { status, headers, body }: RawAnswer,
  { description, operation, mutated }: { description: ApiDescription; operation: ApiOperation; mutated: boolean },
): string | undefined {
  if (status >= 500) return failureViolation(status, headers, body);
  if (status < 200) return `the status ${status}`;
  if (status >= 400) {
    const violation = refusalViolation(status, headers, body);
    if (violation !== undefined) return violation;
  }
  if (mutated) return undefined;
  const json = headers['content-type']?.startsWith('application/json') ? JSON.parse(body) : undefined;
  return description.violation(operation, status, json);
}

/** The rule that an answer violates which the document does not describe, or undefined: it must be JSON, a refusal with the envelope. */
export function answerViolation({ status, headers, body }: RawAnswer): string | undefined {
  if (status < 200) return `the status ${status}`;
  if (status >= 500) return failureViolation(status, headers, body);
  if (status >= 400) return refusalViolation(status, headers, body);
  JSON.parse(body);
  return undefined;
}

/** A busy machine or a full budget may refuse any request for the moment; every other 5xx is a fault. */
function failureViolation(status: number, headers: Record<string, string>, body: string): string | undefined {
  const violation = refusalViolation(status, headers, body);
  if (violation !== undefined) return `${status}, and ${violation}`;
  const { error }: { error: { code: string } } = JSON.parse(body);
  return MOMENTARY_CODES.includes(error.code) ? undefined : `${status} ${error.code}`;
}

function refusalViolation(status: number, headers: Record<string, string>, body: string): string | undefined {
  if (headers['content-type'] !== 'application/json; charset=utf-8') return `a refusal as ${headers['content-type']}`;
  const parsed: unknown = JSON.parse(body);
  if (!errorEnvelopeShape.matches(parsed)) return `no envelope: ${body.slice(0, 200)}`;
  const { code } = parsed.error;
  if (!isErrorCode(code)) return `the unknown code ${code}`;
  if (ERROR_CODES[code].status !== status && !HTTP_SERVER_STATUSES.includes(status)) return `${code} with ${status}`;
  return undefined;
}
