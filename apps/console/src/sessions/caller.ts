import type { Caller } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { Role } from '../registry';

/** The account of the login session of a call. */
export interface SessionCaller {
  accountID: string;
  email: string;
  name: string;
  role: Role;
  /** null for an operator, like `companyName`. */
  companyID: string | null;
  companyName: string | null;
  /** SHA-256 of the session token; the key of the session in the database. */
  tokenHash: Buffer;
  /** Whether a one-time password opened the session, so that it may only change the password or log out. */
  oneTime: boolean;
}

/** What identifies a caller and its login session. */
export type SessionIdentity = Pick<SessionCaller, 'accountID' | 'tokenHash'>;

/** Names the caller to the code that reads its right again, in this service or another one. */
export function toCaller({ accountID, tokenHash }: SessionIdentity): Caller {
  return { accountID, sessionHash: tokenHash.toString('hex') };
}

/** Who starts a process by hand: the account, its session, and the names that are shown and recorded. */
export function toStarter(caller: SessionIdentity & Pick<SessionCaller, 'name' | 'email'>) {
  return { ...toCaller(caller), userName: caller.name, executor: caller.email };
}

/** A caller of a company; every caller of a route for `company` or `administrator` is one. */
export interface CompanyCaller extends SessionCaller {
  companyID: string;
}

const callerOfRequest = new WeakMap<Request, SessionCaller>();

export function setCaller(request: Request, caller: SessionCaller): void {
  callerOfRequest.set(request, caller);
}

/** The tenant of a caller, its company or an operator's own account. Memory and bandwidth are limited per tenant. */
export function tenantOf({ companyID, accountID }: Pick<SessionCaller, 'companyID' | 'accountID'>): string {
  return companyID ?? accountID;
}

/** The tenant of a request; undefined on a route for anyone. */
export function tenantOfRequest(request: Request): string | undefined {
  const caller = callerOfRequest.get(request);
  return caller && tenantOf(caller);
}

/** The caller of a request. Throws MISSING_CREDENTIAL on a route for anyone, whose requests have no caller. */
function callerOf(context: ExecutionContext): SessionCaller {
  const caller = callerOfRequest.get(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new ApiError('MISSING_CREDENTIAL');
  return caller;
}

/** Parameter decorator: the caller of any account, also one without a company. Throws MISSING_CREDENTIAL on a route for anyone. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): SessionCaller =>
  callerOf(context),
);

/** Parameter decorator: the caller of an account with a company. Also throws FORBIDDEN for an account without one. */
export const CompanyCallerOf = createParamDecorator((_: unknown, context: ExecutionContext): CompanyCaller => {
  const caller = callerOf(context);
  if (caller.companyID === null) throw new ApiError('FORBIDDEN', 'The account belongs to no company.');
  return { ...caller, companyID: caller.companyID };
});
