import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

/** The pause between two checks while the console cannot be reached; a console that can be reached is not checked regularly. */
const CHECK_INTERVAL_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;

/** Does nothing until `watchConnection` has set it. */
let check = () => {};

/**
 * Pauses queries while the console cannot be reached. The network state of the browser only triggers a check: a browser
 * reports a machine without a network as offline, although a console on the same machine can be reached.
 */
export function watchConnection(): void {
  onlineManager.setEventListener((setConnected) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isChecking = false;
    check = () => {
      if (isChecking) return;
      isChecking = true;
      clearTimeout(timer);
      const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
      // Any answer shows that the console can be reached, also one of a proxy in front of it.
      void fetch('/', { method: 'HEAD', cache: 'no-store', signal }).then(
        () => finish(true),
        () => finish(false),
      );
    };
    const finish = (isConnected: boolean) => {
      isChecking = false;
      setConnected(isConnected);
      if (!isConnected) timer = setTimeout(check, CHECK_INTERVAL_MS);
    };
    window.addEventListener('online', check);
    window.addEventListener('offline', check);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', check);
      window.removeEventListener('offline', check);
    };
  });
}

/** Begins to check whether the console can be reached, unless a check is under way, and does not wait; called after a call without an answer. */
export const checkConnection = (): void => check();

/** False from the first failed check until one succeeds. */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => onlineManager.isOnline());
}

const subscribe = (listener: () => void) => onlineManager.subscribe(listener);
