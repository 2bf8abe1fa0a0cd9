import { MAX_RESPONSE_BYTES, type ReportResponse } from '@batuta/agent-protocol';
import { isJson, RESPONSE_CODES } from '@batuta/flow';

/** What a process answered: HTTP code and JSON text for its waiting caller, or the record that the answer is not valid. */
export type Answer = { valid: true; code: number; body: string } | { valid: false };

/** `problem`: the fault of an answer that is not valid. The text names no value, because an answer may hold secrets. */
export type ValidatedAnswer = { answer: Answer; problem?: string };

/**
 * Checks an answer of an agent, which is not trusted (interpretation 30): the code must be one of contract 4.17, the
 * body JSON text of at most 256 KB without refused names (interpretation 62).
 */
export function validateAnswer({ code, body }: ReportResponse): ValidatedAnswer {
  const knownCode = RESPONSE_CODES.find((allowed) => allowed === code);
  if (knownCode === undefined) return invalid(`code: must be one of ${RESPONSE_CODES.join(', ')}`);
  if (typeof body !== 'string') return invalid('body: must be a text');
  const bytes = Buffer.byteLength(body);
  if (bytes > MAX_RESPONSE_BYTES) return invalid(`body: has ${bytes} bytes, above ${MAX_RESPONSE_BYTES}`);
  if (!isJson(body)) return invalid('body: is not JSON text, or has a name that could be read as another one');
  return { answer: { valid: true, code: knownCode, body } };
}

const invalid = (problem: string): ValidatedAnswer => ({ answer: { valid: false }, problem });
