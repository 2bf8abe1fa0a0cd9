import type { FetchQueryOptions, QueryKey } from '@tanstack/react-query';
import { queryClient } from './query-client';
import { sessionQuery } from './session';

/**
 * Begins a screen's queries while its script loads, and does not wait for their answers. It reads the session first, because a call without a
 * session waits for a login; without an account, and for an operator, who may not make these calls, it begins none.
 */
export async function prefetch<Data, Key extends QueryKey>(
  ...queries: FetchQueryOptions<Data, Error, Data, Key>[]
): Promise<void> {
  const session = await queryClient.fetchQuery(sessionQuery).catch(() => undefined);
  if (session?.state !== 'account' || session.account.role === 'operator') return;
  for (const query of queries) void queryClient.prefetchQuery(query);
}
