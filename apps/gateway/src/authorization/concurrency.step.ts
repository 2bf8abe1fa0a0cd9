import { AdaptiveConcurrency } from '@batuta/http';
import { Injectable } from '@nestjs/common';
import { tenantOf } from '../http/request';
import type { AuthorizationStep } from './authorization';

/**
 * Lets the request wait while its company has too many requests in progress at this replica. After five to ten seconds it is refused with
 * RATE_LIMITED if the company is limited (see AdaptiveConcurrency), and begins otherwise (interpretation 55). It is in progress until its response
 * has begun, or until it waits as a webhook call for an answer of its process.
 */
@Injectable()
export class ConcurrencyStep {
  constructor(private readonly concurrency: AdaptiveConcurrency) {}

  readonly check: AuthorizationStep = ({ response, caller }) => this.concurrency.enter(tenantOf(caller), response);
}
