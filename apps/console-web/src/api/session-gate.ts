/** Holds the calls whose session has ended until the user has logged in again. */
let waiting: { promise: Promise<void>; open: () => void } | undefined;
const listeners = new Set<() => void>();

/** Resolves after the next login; the page shows the login dialog meanwhile. */
export function awaitLogin(): Promise<void> {
  if (!waiting) {
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting = { promise, open: resolve };
    notifyListeners();
  }
  return waiting.promise;
}

/** Lets the held calls go on. */
export function releaseCallsAfterLogin(): void {
  const { open } = waiting ?? {};
  waiting = undefined;
  notifyListeners();
  open?.();
}

export function isLoginAwaited(): boolean {
  return waiting !== undefined;
}

/** The argument of useSyncExternalStore. */
export function onGateChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}
