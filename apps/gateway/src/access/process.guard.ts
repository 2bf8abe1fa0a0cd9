import {
  authorizeProcess,
  hashSecret,
  readProcessID,
  readProcessKey,
  type Caller,
  type Permission,
  type ProcessAccess,
} from '@batuta/auth';
import { Inject, Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { readJsonBody } from '../http/json-body';
import { requestOf, type GatewayRequest } from '../http/request';
import { AccessLookups } from './lookups';

const PERMISSION = 'batuta:permission';

/** The permission that a share must grant for the route; a route without one needs only the share (reading 12). */
export const Needs = (permission: Permission) => SetMetadata(PERMISSION, permission);

/** Comes after CallerGuard: the process of the path, reached with its key (spec 5, reading 11). */
@Injectable()
export class ProcessGuard implements CanActivate {
  constructor(
    @Inject(AccessLookups) protected readonly lookups: AccessLookups,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const key = readProcessKey(request.headers['x-process-key']);
    const { caller } = request;
    if (!caller) throw new Error('CallerGuard comes before ProcessGuard');
    const access = await this.reach(request, caller, key);
    const permission = this.reflector.get<Permission | undefined>(PERMISSION, context.getHandler());
    request.access = authorizeProcess(access, permission);
    return true;
  }

  /** CallerGuard asked for both at once. */
  protected async reach(
    { params, reached }: GatewayRequest,
    _caller: Caller,
    _key: string,
  ): Promise<ProcessAccess | undefined> {
    readProcessID(params['pid']);
    return reached;
  }
}

/** The same of the process that the body names: reads the body, once the headers are found good (reading 11). */
@Injectable()
export class BodyProcessGuard extends ProcessGuard {
  protected override async reach(request: GatewayRequest, { credentialID }: Caller, key: string) {
    request.json = await readJsonBody(request);
    const processID = readProcessID(request.json['processID']);
    const found = await this.lookups.access({ credentialID, reach: { processID, keyHash: hashSecret(key) } });
    return found?.access;
  }
}
