import { MAX_COUNTED_INSTANCES, type EnvironmentLoad } from '@batuta/contracts';
import type { Store } from '@batuta/database';

const countSql = (statuses: string) => `(SELECT COUNT(*) FROM (SELECT 1 FROM instance FORCE INDEX (instance_queue)
  WHERE environment_id = ? AND status IN (${statuses}) LIMIT ?) some)`;
const ONE_ENVIRONMENT = `SELECT ? AS environment_id, ${countSql("'queued'")} AS queued, ${countSql("'unknown', 'running'")} AS running`;

/**
 * The numbers of queued and running instances of each environment, each counted up to `MAX_COUNTED_INSTANCES`. Offered instances count as
 * running, and those that a cancellation of the queue is about to end as queued.
 */
export async function environmentLoads(store: Store, environmentIDs: string[]): Promise<EnvironmentLoad[]> {
  if (environmentIDs.length === 0) return [];
  const rows = await store.rows<{ environment_id: string; queued: number; running: number }>(
    environmentIDs.map(() => ONE_ENVIRONMENT).join(' UNION ALL '),
    environmentIDs.flatMap((id) => [id, id, MAX_COUNTED_INSTANCES, id, MAX_COUNTED_INSTANCES]),
  );
  return rows.map(({ environment_id: environmentID, queued, running }) => ({ environmentID, queued, running }));
}
