import { addressKey, MinuteCounts } from '@batuta/auth';
import { ApiError } from '@batuta/errors';
import { Injectable } from '@nestjs/common';
import { GatewayClock } from '../common/gateway-clock';
import { GatewayMetrics } from '../common/gateway.metrics';
import type { AuthorizationStep } from './authorization';

/**
 * Refuses an address that has sent FAILED_CREDENTIALS_PER_MINUTE unknown, revoked or expired credentials to this replica in this minute,
 * even if the credential of this request is valid.
 */
@Injectable()
export class AddressStep {
  constructor(
    private readonly failures: MinuteCounts,
    private readonly clock: GatewayClock,
    private readonly metrics: GatewayMetrics,
  ) {}

  readonly check: AuthorizationStep = ({ request, response }) => {
    const seconds = Math.ceil(this.failures.waitMsOf([addressKey(request.ip)], this.clock.now()) / 1_000);
    if (seconds === 0) return;
    response.setHeader('Retry-After', String(seconds));
    this.metrics.countRefusal('credentials');
    throw new ApiError('RATE_LIMITED', 'Too many wrong credentials from this address; try again later.');
  };
}
