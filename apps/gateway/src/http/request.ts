import type { AuthorizedProcess, Caller, Hook, ProcessAccess } from '@batuta/auth';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** A request with what the guards found out about it. */
export interface GatewayRequest extends Request {
  caller?: Caller;
  /** The process of the path, found with the caller and not yet judged. */
  reached?: ProcessAccess;
  access?: AuthorizedProcess;
  /** The body, which is read while its sender is looked up. */
  ahead?: Promise<Record<string, unknown>>;
  json?: Record<string, unknown>;
  hook?: ReachedHook;
}

/** A webhook URL that may be called, the SHA-256 of its token, and when (epoch milliseconds) the call came. */
export interface ReachedHook extends Hook {
  tokenHash: Buffer;
  calledAt: number;
}

/** The caller that CallerGuard let in. */
export const CallerOf = createParamDecorator((_: unknown, context: ExecutionContext): Caller =>
  found(requestOf(context).caller, 'CallerGuard'),
);

/** The process that ProcessGuard let the caller reach. */
export const ProcessOf = createParamDecorator((_: unknown, context: ExecutionContext): AuthorizedProcess =>
  found(requestOf(context).access, 'ProcessGuard'),
);

/** The body that BodyGuard read. */
export const JsonOf = createParamDecorator((_: unknown, context: ExecutionContext): Record<string, unknown> =>
  found(requestOf(context).json, 'BodyGuard'),
);

/** The webhook URL that HookGuard found good. */
export const HookOf = createParamDecorator((_: unknown, context: ExecutionContext): ReachedHook =>
  found(requestOf(context).hook, 'HookGuard'),
);

export function requestOf(context: ExecutionContext): GatewayRequest {
  return context.switchToHttp().getRequest<GatewayRequest>();
}

function found<T>(value: T | undefined, guard: string): T {
  if (value === undefined) throw new Error(`The route lacks ${guard}`);
  return value;
}
