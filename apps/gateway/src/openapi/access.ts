import type { ErrorCode } from '@batuta/errors';
import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

/** Credential of a route: none, the token in its URL, an account credential, or that and the key of the process (contract 5). */
const ACCESSES = ['anyone', 'url', 'account', 'process'] as const;
export type Access = (typeof ACCESSES)[number];

const EXTENSION = 'x-access';

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

/** The credentials of a route, all of them together. */
const CREDENTIALS: Record<Access, Partial<Record<keyof typeof SCHEMES, string[]>>> = {
  anyone: {},
  url: {},
  account: { accountCredential: [] },
  process: { accountCredential: [], processKey: [] },
};

/** The error codes with which wrong credentials are refused. */
export const ACCESS_CODES: Record<Access, readonly ErrorCode[]> = {
  anyone: [],
  url: URL_CODES,
  account: ACCOUNT_CODES,
  process: [...ACCOUNT_CODES, ...PROCESS_CODES],
};

/** Documents which credentials a route takes; `describeApi` adds their refusals and headers. */
export function ApiAccess(access: Access): MethodDecorator {
  return applyDecorators(ApiExtension(EXTENSION, access), ApiSecurity(CREDENTIALS[access]));
}

/** The access of a route and its description without it; a route without `@ApiAccess` is for anyone. */
export function takeAccess<Operation extends object>(operation: Operation): { access: Access; operation: Operation } {
  const { [EXTENSION]: documented, ...rest } = Object(operation);
  return { access: ACCESSES.find((access) => access === documented) ?? 'anyone', operation: rest };
}
