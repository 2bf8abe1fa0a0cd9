import { MAX_RESPONSE_BYTES, type ReportResponse } from '@batuta/agent-protocol';
import { isJson, RESPONSE_CODES } from '@batuta/flow';

/** What a process answered: HTTP code and JSON text for its waiting caller, or the record that the answer is not valid. */
export type Answer = { valid: true; code: number; body: string } | { valid: false };

/**
 * Checks an answer of an agent, which is not trusted (interpretation 30): the code must be one of contract 4.17, the
 * body JSON text of at most 256 KB without refused names (interpretation 62).
 */
export function validateAnswer({ code, body }: ReportResponse): Answer {
  const knownCode = RESPONSE_CODES.find((allowed) => allowed === code);
  if (knownCode === undefined || typeof body !== 'string') return { valid: false };
  const fits = Buffer.byteLength(body) <= MAX_RESPONSE_BYTES;
  return fits && isJson(body) ? { valid: true, code: knownCode, body } : { valid: false };
}
