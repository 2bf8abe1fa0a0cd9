import type { SecretKind } from './tokens';

type Prefix = SecretKind | 'bat_live';

/** The message of a refusal of a token that belongs to no login session, such as one whose session was ended. */
export const UNKNOWN_SESSION_MESSAGE = 'The session token is not known; log in again.';

/** Each kind of secret by its prefix: its name, and the place where it belongs. */
const KINDS: Record<Prefix, { name: string; place: string }> = {
  bat_live: {
    name: 'an account credential (bat_live_…)',
    place: 'which belongs in "Authorization: Bearer" of the external API',
  },
  bpk: { name: 'a process key (bpk_…)', place: 'which belongs in X-Process-Key' },
  bak: { name: 'an activation key (bak_…)', place: 'with which only agents connect' },
  bls: { name: 'the token of a login session (bls_…)', place: 'which belongs to the management API' },
  bwh: { name: 'the token of a webhook URL (bwh_…)', place: 'which belongs in that URL' },
};

/**
 * The message of a refusal of an unknown secret in a header: it says which other secret was sent and where that one belongs, or `unknown` when it
 * was none. It contains no part of the secret but its prefix.
 */
export function messageOfUnknownSecret(header: string, sent: string, expected: Prefix, unknown: string): string {
  const [prefix, misplaced] = Object.entries(KINDS).find(([kind]) => sent.startsWith(`${kind}_`)) ?? [];
  if (misplaced === undefined || prefix === expected) return unknown;
  return `${header}: has ${misplaced.name}, ${misplaced.place}; send ${KINDS[expected].name}`;
}
