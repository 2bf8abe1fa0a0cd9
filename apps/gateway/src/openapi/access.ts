import type { ErrorCode } from '@batuta/errors';
import { applyDecorators } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';

/**
 * What a route demands as its credential: nothing, the token in its URL, an account credential, or an account
 * credential and a process key (contract 5).
 */
const ROUTE_CREDENTIALS = ['anyone', 'url', 'account', 'process'] as const;
export type RouteCredential = (typeof ROUTE_CREDENTIALS)[number];

const ACCESS_EXTENSION = 'x-access';

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

export const SECURITY_SCHEMES = {
  accountCredential: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'bat_live_<id>.<secret>',
    description:
      'An account credential (`bat_live_…`), made in the console. Every route but `GET /v1/ping` and the webhook URLs needs one.',
  },
  processKey: {
    type: 'apiKey' as const,
    in: 'header',
    name: 'X-Process-Key',
    description:
      'The key (`bpk_…`) of the process that the call is about. Its owner makes it, also for those it is shared with.',
  },
};

/** The OpenAPI security of a route by its access; all listed schemes are needed together. */
const SECURITY_OF_ACCESS: Record<RouteCredential, Partial<Record<keyof typeof SECURITY_SCHEMES, string[]>>> = {
  anyone: {},
  url: {},
  account: { accountCredential: [] },
  process: { accountCredential: [], processKey: [] },
};

/** The error codes with which the authorization of a route refuses a request, by the credential that the route needs. */
export const ACCESS_CODES: Record<RouteCredential, readonly ErrorCode[]> = {
  anyone: [],
  url: URL_CODES,
  account: ACCOUNT_CODES,
  process: [...ACCOUNT_CODES, ...PROCESS_CODES],
};

/** Decorates a route with the credential that it needs, for the OpenAPI document; `describeApi` adds the refusals and headers. Checks nothing. */
export function ApiAccess(access: RouteCredential): MethodDecorator {
  return applyDecorators(ApiExtension(ACCESS_EXTENSION, access), ApiSecurity(SECURITY_OF_ACCESS[access]));
}

/**
 * Removes the access that `@ApiAccess` left in the description of a route and returns both; a route without it is for
 * anyone.
 */
export function takeAccess<Operation extends object>(
  operation: Operation,
): { access: RouteCredential; operation: Operation } {
  const { [ACCESS_EXTENSION]: documented, ...rest } = Object(operation);
  return { access: ROUTE_CREDENTIALS.find((access) => access === documented) ?? 'anyone', operation: rest };
}
