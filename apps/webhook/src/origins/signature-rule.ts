import { ApiError } from '@batuta/errors';
import { CREDENTIALS } from '../calls/headers';
import type { SignatureSecret } from './sealing';

const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
const LONGEST_SECRET = 200;
const LONGEST_TOLERANCE = 86_400;

/** Throws BAD_REQUEST, naming the field, for a rule by which no call could ever be judged. */
export function requireCheckable({ header, secret, toleranceSeconds }: SignatureSecret): void {
  if (!TOKEN.test(header)) throw refused('header', 'must be the name of a header');
  if (CREDENTIALS.includes(header.toLowerCase())) throw refused('header', `${header} cannot carry a signature`);
  if (secret.length < 1 || secret.length > LONGEST_SECRET) {
    throw refused('secret', `must have 1 to ${LONGEST_SECRET} characters`);
  }
  const tolerable =
    toleranceSeconds === null ||
    (Number.isInteger(toleranceSeconds) && toleranceSeconds >= 1 && toleranceSeconds <= LONGEST_TOLERANCE);
  if (!tolerable) throw refused('toleranceSeconds', `must be null or a whole number from 1 to ${LONGEST_TOLERANCE}`);
}

function refused(field: string, problem: string): ApiError {
  return new ApiError('BAD_REQUEST', `signature.${field}: ${problem}`);
}
