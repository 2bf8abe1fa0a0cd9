import { refusalIn } from '@batuta/network';
import { isNativeError } from 'node:util/types';

/** Codes of a connection that was made and then cut. */
const CUT_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];

/**
 * Why a request has no answer: the refusal of its address, or the code of the error. The text of a system error may name addresses of the
 * internal network, so it is left out.
 */
export function reasonOf(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal) return refusal.message;
  const code = codeOf(error);
  if (code === undefined) return 'the request failed';
  return `${CUT_CODES.includes(code) ? 'the connection was cut before an answer' : 'no connection'}: ${code}`;
}

function codeOf(error: unknown): string | undefined {
  if (!isNativeError(error)) return undefined;
  const { code } = Object(error);
  if (typeof code === 'string') return code;
  const inner: unknown[] = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return inner.map(codeOf).find((found) => found !== undefined);
}
