import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { readJsonBody } from './json-body';
import { requestOf } from './request';

/** Comes last on a route: nothing of a body is judged before its sender was let in (interpretation 11). */
@Injectable()
export class BodyGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    request.json = await readJsonBody(request);
    return true;
  }
}
