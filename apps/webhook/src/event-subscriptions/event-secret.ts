import { sealingContexts, type KeyRing } from '@batuta/secrets';
import { randomBytes } from 'node:crypto';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A signing secret in the form of Standard Webhooks: `whsec_` and Base64 of the bytes of the key. */
export function newEventSecret(): string {
  return SECRET_PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** The bytes of the key of a secret. */
export function keyOfSecret(secret: string): Buffer {
  return Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
}

export function sealSecret(keys: KeyRing, subscriptionID: string, secret: string): Buffer {
  return keys.seal(secret, sealingContexts.eventSecret(subscriptionID));
}

export function unsealSecret(keys: KeyRing, subscriptionID: string, sealed: Buffer): string {
  return keys.unseal(sealed, sealingContexts.eventSecret(subscriptionID));
}

/** Seals a secret for the column of the previous one. That column has a sealing context of its own, so a rotation seals the old secret again. */
export function sealPreviousSecret(keys: KeyRing, subscriptionID: string, secret: string): Buffer {
  return keys.seal(secret, sealingContexts.previousEventSecret(subscriptionID));
}

function unsealPreviousSecret(keys: KeyRing, subscriptionID: string, sealed: Buffer): string {
  return keys.unseal(sealed, sealingContexts.previousEventSecret(subscriptionID));
}

/** The keys with which a message is signed now: that of the secret and, for a time after a rotation, that of the previous secret. */
export function signingKeys(
  keys: KeyRing,
  subscriptionID: string,
  { sealed_secret: current, sealed_previous: previous }: { sealed_secret: Buffer; sealed_previous: Buffer | null },
): Buffer[] {
  const secrets = [unsealSecret(keys, subscriptionID, current)];
  if (previous) secrets.push(unsealPreviousSecret(keys, subscriptionID, previous));
  return secrets.map(keyOfSecret);
}
