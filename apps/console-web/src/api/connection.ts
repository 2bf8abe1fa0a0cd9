import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

const CHECK_INTERVAL_MS = 5_000;
const CHECK_TIMEOUT_MS = 10_000;

let check = () => {};

/**
 * Queries pause while the console cannot be reached, and go on when it can. What the browser says of its network is a reason to look
 * and no more: it calls a machine without a network offline, although a console on that machine answers.
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
      // Any answer will do, also that of a proxy before the console.
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

/** Looks whether the console can be reached, after a call that had no answer. */
export const checkConnection = (): void => check();

export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => onlineManager.isOnline());
}

const subscribe = (listener: () => void) => onlineManager.subscribe(listener);
