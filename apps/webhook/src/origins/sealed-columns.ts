import type { SignatureRule } from '@batuta/contracts';
import { sealingContexts, type KeyRing } from '@batuta/secrets';

export const URL_KINDS = ['dev', 'prod'] as const;
export type UrlKind = (typeof URL_KINDS)[number];

/** A signature rule with the secret of its HMAC. */
export type SignatureSecret = SignatureRule & { secret: string };

/**
 * Seals a token, which is also stored hashed: calls are found by the hash, and the console shows the sealed value again. The sealed value is bound
 * to its origin and kind.
 */
export function sealToken(keys: KeyRing, originID: string, kind: UrlKind, token: string): Buffer {
  return keys.seal(token, sealingContexts.originToken(originID, kind));
}

export function unsealToken(keys: KeyRing, originID: string, kind: UrlKind, sealed: Buffer): string {
  return keys.unseal(sealed, sealingContexts.originToken(originID, kind));
}

export function sealSignature(keys: KeyRing, originID: string, signature: SignatureSecret): Buffer {
  const { header, secret, toleranceSeconds } = signature;
  return keys.seal(JSON.stringify({ header, secret, toleranceSeconds }), sealingContexts.originSignature(originID));
}

export function unsealSignature(keys: KeyRing, originID: string, sealed: Buffer): SignatureSecret {
  const signature: SignatureSecret = JSON.parse(keys.unseal(sealed, sealingContexts.originSignature(originID)));
  return signature;
}
