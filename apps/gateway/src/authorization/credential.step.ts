import { addressKey, authenticate, hashSecret, MinuteCounts, readCredential, readID } from '@batuta/auth';
import type { AccessQuestion } from '@batuta/catalog';
import { ApiError } from '@batuta/errors';
import { setTenant } from '@batuta/observability';
import { Injectable } from '@nestjs/common';
import { GatewayClock } from '../common/gateway-clock';
import { readSmallBody } from '../http/json-body';
import { tenantOf, type GatewayRequest } from '../http/request';
import { AccessLookups } from './access-lookups';
import type { AuthorizationState, AuthorizationStep } from './authorization';

/**
 * Finds the caller of the account credential. One query also finds the process of the path with its key and share, which
 * later steps check, and a small body is read while the database answers.
 */
@Injectable()
export class CredentialStep {
  constructor(
    private readonly lookups: AccessLookups,
    private readonly failures: MinuteCounts,
    private readonly clock: GatewayClock,
  ) {}

  readonly check: AuthorizationStep = async (authorization) => {
    try {
      await this.authenticate(authorization);
    } catch (error) {
      // A credential that is unknown, revoked or expired counts as a guess, but not a missing one and not an error of the database.
      const isGuess = error instanceof ApiError && error.status === 401 && error.code !== 'MISSING_CREDENTIAL';
      if (isGuess) this.failures.record([addressKey(authorization.request.ip)], this.clock.now());
      throw error;
    }
  };

  private async authenticate(authorization: AuthorizationState): Promise<void> {
    const { request, route } = authorization;
    const { credentialID, secret } = readCredential(request.headers.authorization);
    const lookup = this.lookups.findAccess(accessQuestionOf(request, credentialID));
    if (route.body || route.process === 'body') authorization.bodyInAdvance = readSmallBody(request);
    const found = await lookup;
    authorization.accessReadAt = this.clock.now();
    request.caller = authenticate(found?.caller, secret);
    setTenant(tenantOf(request.caller));
    authorization.processOfPath = found?.access;
  }
}

/**
 * Asks for the caller, and for the process of the path with the hash of the key; not for the process when its id is missing or malformed,
 * or no key was sent, which a later step refuses.
 */
export function accessQuestionOf({ params, headers }: GatewayRequest, credentialID: string): AccessQuestion {
  const processID = readID(params['pid']);
  const header = headers['x-process-key'];
  const key = typeof header === 'string' ? header.trim() : '';
  const reach = processID === undefined || key === '' ? undefined : { processID, keyHash: hashSecret(key) };
  return { credentialID, reach };
}
