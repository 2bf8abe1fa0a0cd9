import { refusalIn } from '@batuta/network';
import { isNativeError } from 'node:util/types';

/** Codes of a connection that was made and then cut. */
const CUT_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'];
/** The reasons for errors of undici that come from an answer which undici refuses, by message. */
const REFUSED_ANSWERS = new Map([
  ['bad response', 'the address sent 100 Continue, for which the message did not ask'],
  ['bad upgrade', 'the address switched to another protocol, for which the message did not ask'],
]);

/**
 * Why a request has no answer: the refusal of its address, or the code of the error. The text of a system error may name addresses of the
 * internal network, so it is left out.
 */
export function reasonOf(error: unknown): string {
  const refusal = refusalIn(error);
  if (refusal) return refusal.message;
  const found = errorWithCode(error);
  if (!found) return 'the request failed';
  const { code, message } = found;
  const refused = code === 'UND_ERR_SOCKET' ? REFUSED_ANSWERS.get(message) : undefined;
  if (refused !== undefined) return refused;
  return `${CUT_CODES.includes(code) ? 'the connection was cut before an answer' : 'no connection'}: ${code}`;
}

/** The error itself, or the one among its causes, that has a code. */
function errorWithCode(error: unknown): { code: string; message: string } | undefined {
  if (!isNativeError(error)) return undefined;
  const { code } = Object(error);
  if (typeof code === 'string') return { code, message: error.message };
  const inner: unknown[] = [error.cause, ...(error instanceof AggregateError ? error.errors : [])];
  return inner.map(errorWithCode).find((found) => found !== undefined);
}
