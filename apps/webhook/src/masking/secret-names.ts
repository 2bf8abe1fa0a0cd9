import { MASK } from './masking';
import type { StoredPayload } from './stored-payload';

/** Parts of names, in lower case and without separators, that usually mean a secret. */
const SECRET_NAME_PART =
  /authorization|cookie|token|secret|passw(?:or)?d|passphrase|senha|signature|hmac|credential|jwt|csrf|xsrf|sessionid|(?:api|access|auth|private|subscription|functions?)key/;
/** Whole names of secrets. As parts of names they would also match other words. */
const SECRET_NAMES: ReadonlySet<string> = new Set([
  'auth',
  'xauth',
  'key',
  'sig',
  'pwd',
  'pass',
  'otp',
  'sid',
  'session',
]);

/**
 * Whether `maskSecretNames` masks a header or query parameter of this name, because it usually carries a secret: `X-Api-Key`,
 * `access_token`, `Stripe-Signature`.
 */
export function isSecretName(name: string): boolean {
  const compact = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return SECRET_NAME_PART.test(compact) || SECRET_NAMES.has(compact);
}

/**
 * The payload with the mask as value of every header and query parameter that usually carries a secret, and of the header of the origin's
 * signature, which the owner names. The names stay, so that they can be mapped: a start reads the values of its own call (interpretation 28).
 */
export function maskSecretNames(stored: StoredPayload, signatureHeader?: string): StoredPayload {
  const masked = ([name, value]: [string, string]): [string, string] => [name, isSecretName(name) ? MASK : value];
  const signature = signatureHeader?.toLowerCase();
  const maskedHeader = ([name, value]: [string, string]): [string, string] =>
    name === signature ? [name, MASK] : masked([name, value]);
  const parameters = [...new URLSearchParams(stored.query)];
  const hasSecrets = parameters.some(([name]) => isSecretName(name));
  return {
    ...stored,
    query: hasSecrets ? String(new URLSearchParams(parameters.map(masked))) : stored.query,
    headers: Object.fromEntries(Object.entries(stored.headers).map(maskedHeader)),
  };
}
