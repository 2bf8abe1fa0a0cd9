import { setActor } from '@batuta/observability';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { requestOf } from '../http/request';
import { AuthorizationState } from './authorization';
import { AuthorizationPipeline } from './authorization.pipeline';
import type { RouteAccess } from './route-access';

export const ROUTE_ACCESS = 'batuta:route-access';

/**
 * Runs the authorization pipeline with the demands of `@Authorize`, and sets caller, process and body of the request.
 */
@Injectable()
export class AuthorizationGuard implements CanActivate {
  constructor(
    private readonly pipeline: AuthorizationPipeline,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const route = this.reflector.get<RouteAccess>(ROUTE_ACCESS, context.getHandler());
    const response = context.switchToHttp().getResponse<Response>();
    const request = requestOf(context);
    await this.pipeline.run(new AuthorizationState(request, response, route));
    const { caller } = request;
    if (route.audited && caller) {
      setActor({ accountID: caller.accountID, credentialID: caller.credentialID, address: request.ip });
    }
    return true;
  }
}
