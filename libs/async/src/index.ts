export { backoffMilliseconds, type Backoff } from './backoff';
export { ByteBudget, type ByteLimits, type ExceededLimit, type Reservation } from './byte-budget';
export { ByteRate, type ByteRateLimits } from './byte-rate';
export { InFlightTasks } from './in-flight-tasks';
export { costOfJson, jsonWeight } from './json-weight';
export { retryUntilAborted, type RetryOptions } from './retry';
export { withTimeout } from './with-timeout';
export { atEndOfTurn, writeTogether } from './turn';
