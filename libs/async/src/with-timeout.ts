/**
 * Settles as `work` does, or rejects with `timeoutError()` after the given milliseconds. It does not cancel `work`, whose
 * result is then dropped.
 */
export function withTimeout<T>(work: Promise<T>, milliseconds: number, timeoutError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError()), milliseconds);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Settles as `work` does, or rejects with `abortError()` once `signal` aborts or if it has aborted. It does not cancel `work`. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal, abortError: () => Error): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(abortError());
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
