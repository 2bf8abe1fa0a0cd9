import type { KeyAnswer } from '../../../api/generated/console-api';

export type KeyState = 'valid' | 'revoked' | 'expired';

export function keyStateOf(
  { revokedAt, expiresAt }: Pick<KeyAnswer, 'revokedAt' | 'expiresAt'>,
  now = Date.now(),
): KeyState {
  if (revokedAt !== null) return 'revoked';
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'expired' : 'valid';
}
