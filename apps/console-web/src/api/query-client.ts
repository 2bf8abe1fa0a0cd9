import {
  QueryClient,
  type InvalidateOptions,
  type InvalidateQueryFilters,
  type Query,
  type QueryKey,
} from '@tanstack/react-query';
import { mutationCache } from '../common/focus-at-submit';
import { checkConnection } from './connection';
import { CallError } from './error';

const MAX_RETRIES = 4;
/** Bounds also the pause that the console asks for by `Retry-After`. */
const MAX_RETRY_DELAY_MS = 30_000;
/** An answer that is younger than this is shown again without another call. */
const STALE_AFTER_MS = 10_000;
const MAX_REFRESH_WAIT_MS = 3_000;

class ConsoleQueryClient extends QueryClient {
  /**
   * Resolves when the active queries have been read again, but after MAX_REFRESH_WAIT_MS at the latest: the dialog of a change stays open until
   * then, and the retries of a query may take minutes. Queries that are late are read on.
   */
  override async invalidateQueries<Key extends QueryKey = QueryKey>(
    filters?: InvalidateQueryFilters<Key>,
    options?: InvalidateOptions,
  ): Promise<void> {
    const { promise: timeout, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, MAX_REFRESH_WAIT_MS);
    await Promise.race([super.invalidateQueries(filters, options), timeout]);
    clearTimeout(timer);
  }
}

/**
 * A read is repeated after a temporary error, at most MAX_RETRIES times, and waits while the console cannot be reached. A change is sent at any
 * time, and by default not repeated after an error.
 */
export const queryClient = new ConsoleQueryClient({
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
  return Math.min(MAX_RETRY_DELAY_MS, Math.max(retryAfterMs, 1_000 * 2 ** failures));
}

/**
 * Repeats at once every read that has failed and has no answer yet, also those whose attempts have ended, with whatever error. `refetch` would only join the wait for the next attempt, which may be as long
 * as MAX_RETRY_DELAY_MS. While the console cannot be reached, the reads wait for the check that this function begins.
 */
export function retryReadsNow(): void {
  checkConnection();
  const hasFailed = ({ state }: Query) => state.data === undefined && state.fetchFailureCount > 0;
  for (const query of queryClient.getQueryCache().findAll({ type: 'active', predicate: hasFailed })) {
    const { fetchFailureReason } = query.state;
    void query.cancel({ silent: true });
    void query.fetch().catch(() => undefined);
    // `fetch` forgets the failure, which the page shows with the pressed button until the read ends.
    query.setState({ fetchFailureReason });
  }
}
