import { applyDecorators, SetMetadata, UseGuards } from '@nestjs/common';
import { ApiAccess } from '../openapi/access';
import { AuthorizationGuard, ROUTE_ACCESS } from './authorization.guard';
import type { RouteAccess } from './route-access';

/** Lets in only requests that have an account credential and meet the demands of `route`; describes both in the OpenAPI document. */
export function Authorize(route: RouteAccess = {}): MethodDecorator {
  return applyDecorators(
    SetMetadata(ROUTE_ACCESS, route),
    UseGuards(AuthorizationGuard),
    ApiAccess(route.process ? 'process' : 'account'),
  );
}
