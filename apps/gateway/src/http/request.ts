import type { AuthenticatedCaller, AuthorizedProcess, WebhookUrl } from '@batuta/auth';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** A request with the facts that the authorization has found. */
export interface GatewayRequest extends Request {
  caller?: AuthenticatedCaller;
  process?: AuthorizedProcess;
  hook?: AuthorizedHook;
}

/**
 * A webhook URL whose call is authorized, with the SHA-256 of its token and, in epoch milliseconds, the time of the call and the time at
 * which the URL was read from the database by its token.
 */
export interface AuthorizedHook extends WebhookUrl {
  tokenHash: Buffer;
  calledAt: number;
  accessReadAt: number;
}

/** The caller of a route with `@Authorize`. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): AuthenticatedCaller =>
  requireDecorator(requestOf(context).caller, '@Authorize'),
);

/** The process of a route with `@Authorize({ process })`. */
export const ProcessOf = createParamDecorator((_: unknown, context: ExecutionContext): AuthorizedProcess =>
  requireDecorator(requestOf(context).process, '@Authorize with a process'),
);

/** The webhook URL of a route with HookGuard. */
export const HookOf = createParamDecorator((_: unknown, context: ExecutionContext): AuthorizedHook =>
  requireDecorator(requestOf(context).hook, 'HookGuard'),
);

/** The tenant whose shares of memory and of bytes a second a caller uses: its company, or its account when it has no company (an operator). */
export function tenantOf({ companyID, accountID }: AuthenticatedCaller): string {
  return companyID ?? accountID;
}

/** The tenant of a request; undefined while no credential is known, and for webhook calls. */
export function tenantOfRequest({ caller }: GatewayRequest): string | undefined {
  return caller && tenantOf(caller);
}

export function requestOf(context: ExecutionContext): GatewayRequest {
  return context.switchToHttp().getRequest<GatewayRequest>();
}

function requireDecorator<T>(value: T | undefined, decorator: string): T {
  if (value === undefined) throw new Error(`The route lacks ${decorator}`);
  return value;
}
