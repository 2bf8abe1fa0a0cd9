import { lockPermission } from '@batuta/catalog';
import type { OnBehalf } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { noSuchOrigin, processOf } from './origin.repository';

/**
 * Throws NOT_FOUND when the account has no access to the process of the origin, and FORBIDDEN without `edit`, as the console did before it sent
 * the request, and OWNER_INACTIVE and INVALID_CREDENTIAL. Locks the process, and therefore comes before the lock of the origin. A request of the previous release has no account: only
 * the console has read its permission.
 */
export async function lockEditPermission(
  tx: Store,
  originID: string,
  { accountID, sessionHash }: OnBehalf,
): Promise<void> {
  if (accountID === undefined) return;
  const processID = await processOf(tx, originID);
  await lockPermission(tx, { accountID, sessionHash }, processID, 'edit').catch(refuseAsUnknown);
}

function refuseAsUnknown(error: unknown): never {
  throw error instanceof ApiError && error.code === 'PROCESS_NOT_FOUND' ? noSuchOrigin() : error;
}
