import { Injectable } from '@nestjs/common';
import { RateRefusals } from '../rate/rate-refusals';
import type { AuthorizationStep } from './authorization';

/**
 * Repeats the refusal of the rate step for an `Authorization` header that was refused twice within a second. This step comes before the query
 * for the credential; the contract's order stays, because the credential passed the checks before the rate limit less than a second ago.
 */
@Injectable()
export class RepeatedRefusalStep {
  constructor(private readonly refusals: RateRefusals) {}

  readonly check: AuthorizationStep = ({ request, response }) =>
    this.refusals.repeatFor(request.headers.authorization, response);
}
