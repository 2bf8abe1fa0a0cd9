import { lockPermission } from '@batuta/catalog';
import type { OnBehalf } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { noSuchOrigin, processOf } from './origin.repository';

/**
 * Throws NOT_FOUND for an unknown origin or without access to its process, FORBIDDEN without the permission `edit`, and as
 * `lockAccountOfCaller` does; the console checked all this before it sent the request. Locks the process, so call it before the origin is
 * locked. A request of the previous release has no account; the check of the console is then the only one.
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
