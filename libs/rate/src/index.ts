export { AllowanceRepository } from './allowance.repository';
export { setRateHeaders } from './rate-headers';
export { RateLimiter, type RateLimit } from './rate-limiter';
export { RefusedCallers, type RefusedCaller } from './refused-callers';
