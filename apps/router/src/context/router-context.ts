import { retryUntilAborted } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { LOGGER, type Logger } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { RouterMetrics } from './router.metrics';

/** Milliseconds. */
const RETRY_BACKOFF = { first: 50, longest: 2_000 };

/** Dependencies that many classes of the router need, and the retry of calls to execution. */
@Injectable()
export class RouterContext {
  constructor(
    readonly rpc: Rpc,
    @Inject(LOGGER) readonly logger: Logger,
    readonly metrics: RouterMetrics,
  ) {}

  /**
   * Repeats `attempt`, a call to execution that is safe to repeat, after transient errors. Returns undefined once `signal`
   * has aborted; throws a definite refusal, which is any ApiError but UNAVAILABLE and INTERNAL. `call` labels the retries in the metrics.
   */
  retry<T>(call: string, attempt: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
    const onRetry = () => this.metrics.retries.inc({ call });
    return retryUntilAborted(attempt, { backoff: RETRY_BACKOFF, signal, isTransient, onRetry });
  }
}

/** Any error other than a definite refusal by execution: a later attempt may succeed. */
function isTransient(error: unknown): boolean {
  return !(error instanceof ApiError) || error.code === 'UNAVAILABLE' || error.code === 'INTERNAL';
}

/** Makes the function by which `withTimeout` creates its error when `what` exceeds its time limit. */
export function timeoutErrorOf(what: string): () => ApiError {
  return () => new ApiError('UNAVAILABLE', `${what} took too long; try again.`);
}
