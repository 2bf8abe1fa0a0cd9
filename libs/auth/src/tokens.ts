import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto';

const SECRET_BYTES = 32;
const CREDENTIAL_PATTERN = /^bat_live_([0-9a-f]{32})\.([A-Za-z0-9_-]{43})$/;

/**
 * A new secret: its value, and the hash that the database stores. Its holder sees the value once, except that of a webhook URL, which is also
 * stored sealed and shown at each read.
 */
export interface MintedSecret {
  value: string;
  hash: Buffer;
}

/** SHA-256. The secrets are 256 random bits, so a slow hash would add no protection. */
export function hashSecret(secret: string): Buffer {
  return digest('sha256', secret, 'buffer');
}

/** Whether a secret has this hash, compared in constant time. */
export function matchesHash(secret: string, hash: Buffer): boolean {
  const given = hashSecret(secret);
  return given.length === hash.length && timingSafeEqual(given, hash);
}

/** An account credential `bat_live_<id_part>.<secret_part>` (contract 2.1) for a UUID; the hash covers the secret part. */
export function mintCredential(credentialID: string): MintedSecret {
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  return { value: `bat_live_${credentialID.replaceAll('-', '')}.${secret}`, hash: hashSecret(secret) };
}

/** The id and the secret of an account credential; undefined for any other text. */
export function parseCredential(value: string): { credentialID: string; secret: string } | undefined {
  const [, id, secret] = CREDENTIAL_PATTERN.exec(value) ?? [];
  if (id === undefined || secret === undefined) return undefined;
  return { credentialID: id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5'), secret };
}

/** The kinds of opaque secrets: `bpk` process key, `bak` activation key, `bls` login session, `bwh` webhook URL. */
export type SecretKind = 'bpk' | 'bak' | 'bls' | 'bwh';

/** An opaque secret whose value begins with its kind. The hash covers the whole value. */
export function mintSecret(kind: SecretKind): MintedSecret {
  const value = `${kind}_${randomBytes(SECRET_BYTES).toString('base64url')}`;
  return { value, hash: hashSecret(value) };
}

/** The token of `Authorization: Bearer <token>`; undefined without one. */
export function bearerToken(header: string | undefined): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(header ?? '')?.[1];
}
