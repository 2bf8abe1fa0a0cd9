import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import { queryClient } from './query-client';
import { sessionQuery } from './session';

/**
 * Runs a screen's queries while its script loads. The session is read first, because a call without a session waits for
 * a login.
 */
export async function prefetch<Data, Key extends QueryKey>(
  ...queries: FetchQueryOptions<Data, Error, Data, Key>[]
): Promise<void> {
  const session = await queryClient.fetchQuery(sessionQuery).catch(() => undefined);
  if (session?.state !== 'account' || session.account.role === 'operator') return;
  for (const query of queries) void queryClient.prefetchQuery(query);
}
