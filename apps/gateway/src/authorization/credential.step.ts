import { addressKey, authenticate, FailureThrottle, hashSecret, readCredential, readID } from '@batuta/auth';
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
    private readonly failures: FailureThrottle,
    private readonly clock: GatewayClock,
  ) {}

  readonly check: AuthorizationStep = async (authorization) => {
    try {
      await this.authenticate(authorization);
    } catch (error) {
      // Only a wrong credential counts as a guess, not a missing one and not an error of the database.
      const isGuess = error instanceof ApiError && error.status === 401 && error.code !== 'MISSING_CREDENTIAL';
      if (isGuess) this.failures.recordFailure([addressKey(authorization.request.ip)], this.clock.now());
      throw error;
    }
  };

  private async authenticate(authorization: AuthorizationState): Promise<void> {
    const { request, route } = authorization;
    const { credentialID, secret } = readCredential(request.headers.authorization);
    const lookup = this.lookups.access({ credentialID, reach: processQuestionOf(request) });
    if (route.body || route.process === 'body') authorization.bodyInAdvance = readSmallBody(request);
    const found = await lookup;
    request.caller = authenticate(found?.caller, secret);
    setTenant(tenantOf(request.caller));
    authorization.processOfPath = found?.access;
  }
}

/**
 * The process of the path and the hash of the key; undefined when one is missing or malformed, which a later step
 * refuses.
 */
function processQuestionOf({ params, headers }: GatewayRequest): AccessQuestion['reach'] {
  const processID = readID(params['pid']);
  const header = headers['x-process-key'];
  const key = typeof header === 'string' ? header.trim() : '';
  return processID === undefined || key === '' ? undefined : { processID, keyHash: hashSecret(key) };
}
