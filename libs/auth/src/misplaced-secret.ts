import type { SecretKind } from './tokens';

/** Each kind of secret by its prefix, and the place where it belongs. */
const KINDS: Record<SecretKind | 'bat_live', string> = {
  bat_live: 'an account credential (bat_live_…), which belongs in "Authorization: Bearer"',
  bpk: 'a process key (bpk_…), which belongs in X-Process-Key',
  bak: 'an activation key (bak_…), with which only agents connect',
  bls: 'the token of a login session (bls_…), which belongs to the management API',
  bwh: 'the token of a webhook URL (bwh_…), which belongs in that URL',
};

/**
 * Returns the kind of a secret that is not of the expected kind, and the place where it belongs; undefined for any other text. The answer
 * contains no part of the secret but its prefix.
 */
export function misplacedSecret(value: string, expected: keyof typeof KINDS): string | undefined {
  const [kind, what] = Object.entries(KINDS).find(([prefix]) => value.startsWith(`${prefix}_`)) ?? [];
  return kind === expected ? undefined : what;
}
