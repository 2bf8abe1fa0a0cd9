import { ApiError } from '@batuta/errors';
import { messageOfUnknownSecret } from './misplaced-secret';
import { bearerToken, matchesHash, parseCredential } from './tokens';

/**
 * An account credential with all facts about its account and company that decide what its holder may do, as read from the database for
 * one request. It is also the record from which `authenticate` learns whether the secret is right.
 */
export interface AuthenticatedCaller {
  credentialID: string;
  /** The name that the account gave the credential. */
  label: string;
  secretHash: Buffer;
  revoked: boolean;
  expired: boolean;
  accountID: string;
  email: string;
  /** The name of the account. */
  name: string;
  blocked: boolean;
  /** null for an operator, who belongs to no company and so has no plan. */
  companyID: string | null;
  /** Whether the company is suspended; false for an operator. */
  suspended: boolean;
  /** Whether the plan of the company includes API access; false for an operator. */
  apiAccess: boolean;
  /** The rate limit of the plan; 0 for an operator. */
  requestsPerMinute: number;
}

/**
 * The two parts of the `Authorization` header. Throws MISSING_CREDENTIAL, or INVALID_CREDENTIAL for another form, whose message says which other
 * secret was sent.
 */
export function readCredential(header: string | undefined): { credentialID: string; secret: string } {
  if (!/^Bearer +\S/i.test(header ?? '')) {
    throw new ApiError('MISSING_CREDENTIAL', 'Authorization: send "Bearer <account credential>"');
  }
  const token = bearerToken(header) ?? '';
  const parsed = parseCredential(token);
  if (parsed) return parsed;
  throw new ApiError(
    'INVALID_CREDENTIAL',
    messageOfUnknownSecret('Authorization', token, 'bat_live', 'Authorization: the account credential is not known'),
  );
}

/**
 * Returns `found` if the credential exists, has this secret and is usable; otherwise throws INVALID_CREDENTIAL, CREDENTIAL_REVOKED or
 * CREDENTIAL_EXPIRED. Only a caller that knows the secret learns that the credential was revoked or has expired.
 */
export function authenticate(found: AuthenticatedCaller | undefined, secret: string): AuthenticatedCaller {
  if (!found || !matchesHash(secret, found.secretHash)) {
    throw new ApiError('INVALID_CREDENTIAL', 'Authorization: the account credential is not known');
  }
  requireUsableCredential(found);
  return found;
}

/** Throws CREDENTIAL_REVOKED or CREDENTIAL_EXPIRED unless the credential is usable. */
export function requireUsableCredential({ revoked, expired }: Pick<AuthenticatedCaller, 'revoked' | 'expired'>): void {
  if (revoked) throw new ApiError('CREDENTIAL_REVOKED', 'Authorization: the account credential was revoked');
  if (expired) throw new ApiError('CREDENTIAL_EXPIRED', 'Authorization: the account credential has expired');
}

/**
 * The refusal when a credential that was authenticated before is checked again later, such as during a stream of events: it or its
 * account may have lost access since. Undefined while the credential may still be used.
 */
export function refusalOfCaller(found: AuthenticatedCaller | undefined): ApiError | undefined {
  if (!found) return new ApiError('INVALID_CREDENTIAL', 'Authorization: the account credential is not known');
  try {
    requireUsableCredential(found);
    requireActive(found);
    requireApiAccess(found);
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** Throws OWNER_INACTIVE when the caller is blocked or belongs to a suspended company (interpretation 12). */
export function requireActive({ blocked, suspended }: Pick<AuthenticatedCaller, 'blocked' | 'suspended'>): void {
  if (blocked) throw new ApiError('OWNER_INACTIVE', 'The account is blocked.');
  if (suspended) throw new ApiError('OWNER_INACTIVE', 'The company of the account is suspended.');
}

/**
 * Throws PLAN_FEATURE_UNAVAILABLE when the plan of the caller's company has no API access (contract 5 rule 8, interpretation
 * 15).
 */
export function requireApiAccess({ apiAccess }: AuthenticatedCaller): void {
  if (!apiAccess) throw new ApiError('PLAN_FEATURE_UNAVAILABLE', 'The plan of the company has no API access.');
}
