import { MAX_RESPONSE_BYTES, type ReportResponse } from '@batuta/contracts';
import { RESPONSE_CODES } from '@batuta/flow';

/** An answer as it may go out to a waiting caller, or the verdict that it may not. */
export type Answer = { valid: true; code: number; body: string } | { valid: false };

/** Judged here and not believed of the agent (interpretation 30): a code of contract 4.17, and JSON text of at most 256 KB. */
export function judgeResponse({ code, body }: ReportResponse): Answer {
  const known = RESPONSE_CODES.find((allowed) => allowed === code);
  if (known === undefined || typeof body !== 'string') return { valid: false };
  const fits = Buffer.byteLength(body) <= MAX_RESPONSE_BYTES;
  return fits && isJson(body) ? { valid: true, code: known, body } : { valid: false };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
