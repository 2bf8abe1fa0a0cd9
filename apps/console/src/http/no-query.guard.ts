import { ApiError } from '@batuta/errors';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';

/** For routes without query parameters: refuses a call with a parameter as BAD_REQUEST, like an unknown field of a body. */
@Injectable()
export class NoQueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const [name] = Object.keys(context.switchToHttp().getRequest<Request>().query);
    if (name !== undefined) throw new ApiError('BAD_REQUEST', `${name}: is not a known field`);
    return true;
  }
}
