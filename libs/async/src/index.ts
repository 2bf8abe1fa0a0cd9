export { backoffMilliseconds, type Backoff } from './backoff';
export { InFlightTasks } from './in-flight-tasks';
export { retryUntilAborted, type RetryOptions } from './retry';
export { withTimeout } from './with-timeout';
