import type { ErrorCode } from '@batuta/errors';

/**
 * Who may call a route: anyone, who knows the URL, an account, or an account with the key of the process that the call is
 * about (contract 5).
 */
export type Access = 'anyone' | 'url' | 'account' | 'process';

const URL_CODES = [
  'NOT_FOUND',
  'WEBHOOK_TOKEN_REVOKED',
  'WEBHOOK_DISABLED',
  'OWNER_INACTIVE',
  'PLAN_FEATURE_UNAVAILABLE',
  'RATE_LIMITED',
  'UNAVAILABLE',
] as const;

const ACCOUNT_CODES = [
  'MISSING_CREDENTIAL',
  'INVALID_CREDENTIAL',
  'CREDENTIAL_REVOKED',
  'CREDENTIAL_EXPIRED',
  'OWNER_INACTIVE',
  'PLAN_FEATURE_UNAVAILABLE',
  'RATE_LIMITED',
  'UNAVAILABLE',
] as const;

const PROCESS_CODES = [
  'MISSING_PROCESS_KEY',
  'INVALID_PROCESS_ID',
  'PROCESS_NOT_FOUND',
  'FORBIDDEN',
  'INVALID_PROCESS_KEY',
  'PROCESS_KEY_REVOKED',
  'PROCESS_KEY_EXPIRED',
  'API_DISABLED',
] as const;

export const SCHEMES = {
  accountCredential: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: '<PREFIX>_live_<id>.<secret>',
    description: 'An account credential, made in the console. Every route but `GET /v1/ping` needs one.',
  },
  processKey: {
    type: 'apiKey' as const,
    in: 'header',
    name: 'X-Process-Key',
    description: 'The key of the process that the call is about. Its owner makes it, also for those it is shared with.',
  },
};

interface Meaning {
  /** All of these credentials together. */
  needs: Partial<Record<keyof typeof SCHEMES, string[]>>;
  /** The codes with which they are refused. */
  codes: readonly ErrorCode[];
}

export const ACCESS: Record<Access, Meaning> = {
  anyone: { needs: {}, codes: [] },
  url: { needs: {}, codes: URL_CODES },
  account: { needs: { accountCredential: [] }, codes: ACCOUNT_CODES },
  process: { needs: { accountCredential: [], processKey: [] }, codes: [...ACCOUNT_CODES, ...PROCESS_CODES] },
};
