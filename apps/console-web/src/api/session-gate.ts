/** The next login, for which the calls whose session has ended wait; undefined while no call waits. `resolve` lets the calls go on. */
let awaited: { promise: Promise<void>; resolve: () => void } | undefined;
const listeners = new Set<() => void>();

/** Resolves after the next login; the page shows the login dialog meanwhile. */
export function awaitLogin(): Promise<void> {
  if (!awaited) {
    awaited = Promise.withResolvers<void>();
    notifyListeners();
  }
  return awaited.promise;
}

/** Lets the calls go on that `awaitLogin` holds; does nothing to them when there is none. */
export function releaseCallsAfterLogin(): void {
  const { resolve } = awaited ?? {};
  awaited = undefined;
  notifyListeners();
  resolve?.();
}

export function isLoginAwaited(): boolean {
  return awaited !== undefined;
}

/** `subscribe` of `useSyncExternalStore`, whose snapshot is `isLoginAwaited`; returns the function that removes the listener. */
export function onGateChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notifyListeners(): void {
  for (const listener of listeners) listener();
}
