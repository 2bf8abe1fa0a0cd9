import type { KeyAnswer } from '../../../api/generated/console-api';

export type KeyState = 'valid' | 'revoked' | 'expired';

/** The state of a process key at `now`, in milliseconds of the browser's clock. A revoked key counts as revoked also after its expiry. */
export function keyStateOf(
  { revokedAt, expiresAt }: Pick<KeyAnswer, 'revokedAt' | 'expiresAt'>,
  now = Date.now(),
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'valid';
}
