import { QueryClient } from '@tanstack/react-query';
import { mutationCache } from '../common/focus-at-submit';
import { CallError } from './error';

const MAX_RETRIES = 4;
const MAX_WAIT_MS = 30_000;
const STALE_AFTER_MS = 10_000;

/** A read is repeated after a temporary error; a change is never repeated automatically. */
export const queryClient = new QueryClient({
  mutationCache,
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      retry: (failures, error) => failures < MAX_RETRIES && error instanceof CallError && error.isTemporary,
      retryDelay,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

function retryDelay(failures: number, error: Error): number {
  const retryAfterMs = error instanceof CallError && error.retryAfter !== undefined ? error.retryAfter * 1_000 : 0;
  return Math.min(MAX_WAIT_MS, Math.max(retryAfterMs, 1_000 * 2 ** failures));
}
