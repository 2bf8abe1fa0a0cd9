import type { KeyAnswer } from '../../../api/generated/console-api';

type KeyState = 'valid' | 'revoked' | 'expired';

/** The state of a process key now, by the browser's clock. A revoked key counts as revoked also after its expiry. */
export function keyStateOf({ revokedAt, expiresAt }: Pick<KeyAnswer, 'revokedAt' | 'expiresAt'>): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= Date.now() ? 'expired' : 'valid';
}
