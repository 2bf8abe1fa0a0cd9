// The part of this library that web pages import as @batuta/async: it needs nothing of Node.
export { backoffMilliseconds, type Backoff } from './backoff';
export { holdUntilRead } from './hold-until-read';
export { retry } from './retry';
