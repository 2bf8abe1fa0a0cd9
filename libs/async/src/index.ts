export { backoffMilliseconds, type Backoff } from './backoff';
export { ByteBudget, type ByteLimits, type ExceededLimit, type Reservation } from './byte-budget';
export { ByteRate, type ByteRateLimits } from './byte-rate';
export { FairQueue } from './fair-queue';
export { InFlightTasks } from './in-flight-tasks';
export { costOfJson, jsonWeight } from './json-weight';
export { retry, retryUntilAborted, type RetryOptions, type RetryPolicy } from './retry';
export { atEndOfTurn, writeTogether } from './turn';
export { untilAborted, withTimeout } from './with-timeout';
