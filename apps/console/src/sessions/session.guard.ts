import { bearerToken } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { AdaptiveConcurrency, LargeAnswers, SLOW_BODY_MS } from '@batuta/http';
import { setActor, setTenant } from '@batuta/observability';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { BodyReader } from '../http/body-reader';
import { CallLimit } from './call-limit';
import { setCaller, tenantOf, type SessionCaller } from './caller';
import { cookieToken } from './cookie';
import { tenantOfAddress } from './password-hasher';
import { SessionLookups } from './session-lookups';
import { mayCall, AUDIENCE_KEY, ONE_TIME_KEY, type Audience } from './audience';

/**
 * Admits only callers of the route's audience, within their limits; reads the body after that, and lets the request wait while its company has
 * too many calls in progress, or too many large answers to read. The token comes as a bearer token or in a cookie. The cookie is SameSite=Strict,
 * and a call with a cookie that may change something must have a JSON content type, which no form of another site can send.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionLookups,
    private readonly bodies: BodyReader,
    private readonly calls: CallLimit,
    private readonly reflector: Reflector,
    private readonly concurrency: AdaptiveConcurrency,
    private readonly answers: LargeAnswers,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const audience = this.audienceOf(context);
    const request = context.switchToHttp().getRequest<Request>();
    if (audience === 'anyone') {
      setActor({ address: request.ip });
      setTenant(tenantOfAddress(request.ip));
      await this.concurrency.enter(tenantOfAddress(request.ip), context.switchToHttp().getResponse<Response>());
      await this.bodies.readLogin(request);
      return true;
    }
    const response = context.switchToHttp().getResponse<Response>();
    const token = tokenOf(request);
    await this.calls.repeatRefusal(token, response);
    const caller = await this.sessions.callerOfToken(token);
    const accessReadAt = performance.now();
    setTenant(tenantOf(caller));
    await this.calls.charge(caller, token, response);
    await this.concurrency.enter(tenantOf(caller), response);
    this.admit(caller, context);
    if (!isRead(request)) setActor({ accountID: caller.accountID, address: request.ip });
    await this.bodies.read(request, response, tenantOf(caller));
    // The session may have ended, and the account may have been blocked, while the request waited or its body arrived.
    if (performance.now() - accessReadAt >= SLOW_BODY_MS) this.admit(await this.sessions.callerOfToken(token), context);
    await this.answers.roomFor(tenantOf(caller), response);
    return true;
  }

  private audienceOf(context: ExecutionContext): Audience | undefined {
    return this.reflector.get<Audience | undefined>(AUDIENCE_KEY, context.getHandler());
  }

  /** Sets the caller of the request. Throws FORBIDDEN for one whose role or one-time password does not allow the route. */
  private admit(caller: SessionCaller, context: ExecutionContext): void {
    const audience = this.audienceOf(context);
    if (audience === undefined || !mayCall(audience, caller.role)) {
      throw new ApiError('FORBIDDEN', `An account with the role ${caller.role} may not do this.`);
    }
    this.refuseOneTime(caller, context);
    setCaller(context.switchToHttp().getRequest<Request>(), caller);
  }

  private refuseOneTime({ oneTime }: SessionCaller, context: ExecutionContext): void {
    if (!oneTime || this.reflector.get<boolean>(ONE_TIME_KEY, context.getHandler())) return;
    throw new ApiError(
      'FORBIDDEN',
      'The password is a one-time password: change it by PUT /manage/v1/session/password.',
    );
  }
}

function tokenOf(request: Request): string {
  const bearer = bearerToken(request.get('authorization'));
  if (bearer !== undefined) return bearer;
  const cookie = cookieToken(request.get('cookie'));
  if (cookie === undefined) throw new ApiError('MISSING_CREDENTIAL', 'No session token was sent; log in first.');
  if (!isRead(request) && !/^application\/json\b/i.test(request.get('content-type') ?? '')) {
    throw new ApiError('FORBIDDEN', 'Content-Type: must be application/json when the session comes as a cookie');
  }
  return cookie;
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}
