import {
  authorizeProcess,
  hashSecret,
  readProcessID,
  readProcessKey,
  type Caller,
  type Permission,
} from '@batuta/auth';
import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { readJsonBody } from '../http/json-body';
import { requestOf, type GatewayRequest } from '../http/request';
import { AccessLookups } from './lookups';

const PERMISSION = 'batuta:permission';

/** The permission that a share must grant for the route; a route without one needs only the share (interpretation 12). */
export const Needs = (permission: Permission) => SetMetadata(PERMISSION, permission);

/** Comes after CallerGuard, which has looked it up: the process of the path, reached with its key (contract 5, interpretation 11). */
@Injectable()
export class ProcessGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const request = requestOf(context);
    callerOf(request);
    readProcessKey(request.headers['x-process-key']);
    readProcessID(request.params['pid']);
    request.access = authorizeProcess(request.reached, permissionOf(context, this.reflector));
    return true;
  }
}

/** The same of the process that the body names: reads the body, once the headers are found good (interpretation 11). */
@Injectable()
export class BodyProcessGuard implements CanActivate {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const { credentialID } = callerOf(request);
    const keyHash = hashSecret(readProcessKey(request.headers['x-process-key']));
    request.json = await readJsonBody(request);
    const processID = readProcessID(request.json['processID']);
    const found = await this.lookups.access({ credentialID, reach: { processID, keyHash } });
    request.access = authorizeProcess(found?.access, permissionOf(context, this.reflector));
    return true;
  }
}

function callerOf({ caller }: GatewayRequest): Caller {
  if (!caller) throw new Error('CallerGuard comes before the guard of the process');
  return caller;
}

function permissionOf(context: ExecutionContext, reflector: Reflector): Permission | undefined {
  return reflector.get<Permission | undefined>(PERMISSION, context.getHandler());
}
