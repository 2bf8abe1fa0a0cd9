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
