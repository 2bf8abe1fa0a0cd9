import { useEffect, useRef } from 'react';

/** Calls `onReturn` each time that the user comes back to the window: when it is shown again, or gets the focus beside another one. */
export function useReturn(onReturn: () => void): void {
  const latest = useRef(onReturn);
  useEffect(() => {
    latest.current = onReturn;
  });
  useEffect(() => {
    const listen = () => {
      if (document.visibilityState === 'visible') latest.current();
    };
    document.addEventListener('visibilitychange', listen);
    // A window beside another one is visible all the time.
    window.addEventListener('focus', listen);
    return () => {
      document.removeEventListener('visibilitychange', listen);
      window.removeEventListener('focus', listen);
    };
  }, []);
}
