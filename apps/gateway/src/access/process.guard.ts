import { authorizeProcess, hashSecret, readProcessID, readProcessKey, type Permission } from '@batuta/auth';
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
    @Inject(AccessLookups) private readonly lookups: AccessLookups,
    @Inject(Reflector) private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context);
    const key = readProcessKey(request.headers['x-process-key']);
    const processID = await this.processID(request);
    const accountID = request.caller?.accountID;
    if (accountID === undefined) throw new Error('CallerGuard comes before ProcessGuard');
    const { foreseen } = request;
    const isForeseen = foreseen?.processID === processID && foreseen.accountID === accountID && foreseen.key === key;
    const access = await (isForeseen
      ? foreseen.access
      : this.lookups.access({ processID, accountID, keyHash: hashSecret(key) }));
    const permission = this.reflector.get<Permission | undefined>(PERMISSION, context.getHandler());
    request.access = authorizeProcess(access, permission);
    return true;
  }

  protected async processID({ params }: GatewayRequest): Promise<string> {
    return readProcessID(params['pid']);
  }
}

/** The same of the process that the body names: reads the body, once the headers are found good (reading 11). */
@Injectable()
export class BodyProcessGuard extends ProcessGuard {
  protected override async processID(request: GatewayRequest): Promise<string> {
    request.json = await readJsonBody(request);
    return readProcessID(request.json['processID']);
  }
}
