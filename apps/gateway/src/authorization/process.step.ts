import {
  hashSecret,
  readProcessID,
  readProcessKey,
  refusalOfCaller,
  requireOwnedOrShared,
  type ProcessAccess,
} from '@batuta/auth';
import { Injectable } from '@nestjs/common';
import { AccessLookups } from './access-lookups';
import type { AuthorizationState, AuthorizationStep } from './authorization';

/**
 * Refuses a process that does not exist, and one that the caller neither owns nor has a share of. The credential step has looked up the
 * process of the path; that of the body is looked up here, with the caller again.
 */
@Injectable()
export class ProcessStep {
  constructor(private readonly lookups: AccessLookups) {}

  readonly check: AuthorizationStep = (authorization) =>
    authorization.route.process === 'body' ? this.checkBody(authorization) : this.checkPath(authorization);

  private checkPath(authorization: AuthorizationState): void {
    readProcessID(authorization.request.params['pid']);
    authorization.reachableProcess = requireOwnedOrShared(authorization.processOfPath);
  }

  private async checkBody(authorization: AuthorizationState): Promise<void> {
    authorization.reachableProcess = requireOwnedOrShared(await this.findProcessOfBody(authorization));
  }

  /** Also refuses a credential that was revoked while the body arrived. */
  private async findProcessOfBody({ request, caller }: AuthorizationState): Promise<ProcessAccess | undefined> {
    const processID = readProcessID(request.body?.['processID']);
    const keyHash = hashSecret(readProcessKey(request.headers['x-process-key']));
    const found = await this.lookups.findAccess({ credentialID: caller.credentialID, reach: { processID, keyHash } });
    const refusal = refusalOfCaller(found?.caller);
    if (refusal) throw refusal;
    return found?.access;
  }
}
