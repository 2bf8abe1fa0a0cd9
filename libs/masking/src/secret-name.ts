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
 * Whether a header or query parameter of this name usually carries a secret: `X-Api-Key`, `access_token`, `Stripe-Signature`.
 */
export function isSecretName(name: string): boolean {
  const compact = name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return SECRET_NAME_PART.test(compact) || SECRET_NAMES.has(compact);
}
