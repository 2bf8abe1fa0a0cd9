import { ApiError } from '@batuta/errors';
import { CREDENTIAL_HEADERS } from '../payload/headers';
import { standardWebhooksKey } from '../signature/standard-webhooks';
import type { SignatureSecret } from './sealed-columns';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,100}$/i;
const MAX_SECRET_CHARACTERS = 200;
/** Headers of Standard Webhooks, and of Svix, which signs in the same way. */
const STANDARD_HEADER = /^(?:webhook|svix)-signature$/i;
const MAX_TOLERANCE_SECONDS = 86_400;

/** Throws BAD_REQUEST, naming the field, for a rule that no call could fulfil, or that has a field outside of its limits. */
export function requireUsableRule({ header, secret, toleranceSeconds }: SignatureSecret): void {
  if (!HEADER_NAME.test(header)) throw invalidRule('header', 'must be the name of a header');
  if (CREDENTIAL_HEADERS.includes(header.toLowerCase()))
    throw invalidRule('header', `${header} cannot carry a signature`);
  if (secret.length < 1 || secret.length > MAX_SECRET_CHARACTERS) {
    throw invalidRule('secret', `must have 1 to ${MAX_SECRET_CHARACTERS} characters`);
  }
  if (STANDARD_HEADER.test(header) && secret.startsWith('whsec_') && !standardWebhooksKey(secret)) {
    throw invalidRule('secret', 'must be whsec_ and the base64 of at least 24 bytes, as Standard Webhooks specifies');
  }
  const tolerable =
    toleranceSeconds === null ||
    (Number.isInteger(toleranceSeconds) && toleranceSeconds >= 1 && toleranceSeconds <= MAX_TOLERANCE_SECONDS);
  if (!tolerable)
    throw invalidRule('toleranceSeconds', `must be null or a whole number from 1 to ${MAX_TOLERANCE_SECONDS}`);
}

function invalidRule(field: string, problem: string): ApiError {
  return new ApiError('BAD_REQUEST', `signature.${field}: ${problem}`);
}
