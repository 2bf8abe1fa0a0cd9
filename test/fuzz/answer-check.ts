import { ERROR_CODES, isErrorCode } from '@batuta/errors';
import * as s from '../support/shape';
import type { ApiDescription, ApiOperation } from './openapi-document';
import type { RawAnswer } from './raw-http';

const errorEnvelopeShape = s.exactObject({ error: s.exactObject({ code: s.text(), message: s.nonEmptyText }) });

/** Statuses of refusals by the HTTP server itself; their envelope has the code BAD_REQUEST, whose own status is 400. */
const HTTP_SERVER_STATUSES = [408, 417, 431];

/** Codes of 5xx answers that a busy machine may cause; every other 5xx is a fault. */
const MOMENTARY_CODES = ['UNAVAILABLE', 'ROUTER_ERROR'];

/** Statuses of refusals for which the request itself was valid: they depend on the state of the stored data. */
const STATE_STATUSES = [402, 403, 409, 429];

/** Whether the request passed validation: it succeeded, or was refused because of the state of the stored data. */
export function passedValidation({ status }: RawAnswer): boolean {
  return status < 400 || STATE_STATUSES.includes(status);
}

/**
 * The rule that this answer violates, or undefined. The answer to a mutated request is not compared with the description of `operation`,
 * because the request may have reached another route.
 */
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

/** The rule that an answer to a webhook call violates, or undefined. The process decides the JSON of a success; a refusal has the error envelope. */
export function webhookAnswerViolation({ status, headers, body }: RawAnswer): string | undefined {
  if (status < 200) return `the status ${status}`;
  if (status >= 500) return failureViolation(status, headers, body);
  if (status >= 400) return refusalViolation(status, headers, body);
  JSON.parse(body);
  return undefined;
}

/** The rule that a 5xx answer violates; undefined for an envelope with a momentary code. */
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
