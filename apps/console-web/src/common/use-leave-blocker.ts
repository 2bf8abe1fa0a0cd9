import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { mustAskBeforeLoss } from './window-loss';

interface LeaveBlockerOptions {
  /** Whether something would be lost if the user left now. */
  mayLose: () => boolean;
  /** True blocks only moves in the history, such as Back, and not the opening of another page, as by a form that is saved. */
  onlyBack?: boolean;
}

/**
 * Blocks the way to another page while something would be lost, until the caller calls `stay` or `leave` for the user. A blocked move also
 * ends, as with `stay`, once nothing would be lost, and when the component is unmounted. Before the window closes, the browser itself asks.
 */
export function useLeaveBlocker({ mayLose, onlyBack = false }: LeaveBlockerOptions) {
  const { history } = useRouter();
  const blockedAt = useRef<string>(undefined);
  const blocker = useBlocker({
    shouldBlockFn: async ({ action }) => {
      if (onlyBack && (action === 'PUSH' || action === 'REPLACE')) {
        await undoBack();
        return false;
      }
      blockedAt.current = history.location.href;
      return mayLose();
    },
    enableBeforeUnload: () => mustAskBeforeLoss(mayLose()),
    withResolver: true,
  });
  const isBlocked = blocker.status === 'blocked';
  // The browser has gone back already: the page that the form opens follows that of the form, and does not take its place.
  const undoBack = async () => {
    if (!isBlocked || history.location.href !== blockedAt.current) return;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    window.addEventListener('popstate', resolve, { once: true });
    blocker.reset();
    await promise;
  };
  // The browser has gone back already, and `reset` takes it forward again: not after the page has opened another one.
  const stay = useEffectEvent(() => {
    if (history.location.href === blockedAt.current) blocker.reset?.();
  });
  useEffect(() => {
    if (isBlocked && !mayLose()) stay();
  });
  useEffect(() => () => stay(), []);
  return { isBlocked, stay: () => blocker.reset?.(), leave: () => blocker.proceed?.() };
}
