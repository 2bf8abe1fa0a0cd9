import { useBlocker, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef } from 'react';
import { asksBeforeLoss } from './window-loss';

interface LeaveBlockerOptions {
  /** Whether something would be lost if the user left now. */
  mayLose: () => boolean;
  /** True for a form that opens another page when it is saved, which pushes or replaces an entry of the history. */
  onlyBack?: boolean;
}

/**
 * Blocks the way to another page while something would be lost, until the user chooses `stay` or `leave`. The user stays as well when nothing
 * would be lost any more, and when the component is unmounted.
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
    enableBeforeUnload: () => asksBeforeLoss(mayLose()),
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
