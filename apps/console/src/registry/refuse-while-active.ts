import { execution, MAX_COUNTED_INSTANCES } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import type { Rpc } from '@batuta/messaging';

/** Throws CONFLICT while the process or environment has queued or running instances that are not being cancelled (interpretation 47). */
export async function refuseWhileActive(
  rpc: Rpc,
  of: { processID: string } | { environmentID: string },
): Promise<void> {
  const { active } = await rpc.call(execution.inUse, of);
  if (active === 0) return;
  const what = 'processID' in of ? 'process' : 'environment';
  const count = active < MAX_COUNTED_INSTANCES ? active : `${MAX_COUNTED_INSTANCES} or more`;
  throw new ApiError('CONFLICT', `The ${what} has ${count} queued or running instances.`);
}
