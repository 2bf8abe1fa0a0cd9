import { lockAccountOfCaller, lockCompanyInShareMode } from '@batuta/catalog';
import type { SubscriptionScope } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { lockOwnProcess } from './event-subscription.repository';

/**
 * Locks company, process (if given) and account of a change until the transaction ends, in the order of `lockPermission`; call it before the
 * subscription is locked. Throws BAD_REQUEST when the company does not own the process, and as `lockAccountOfCaller` does. A request
 * of the previous release has no account: only the console has checked it.
 */
export async function lockSubscriber(
  tx: Store,
  { companyID, accountID, sessionHash }: SubscriptionScope,
  processID?: string | null,
): Promise<void> {
  await lockCompanyInShareMode(tx, companyID);
  if (typeof processID === 'string' && !(await lockOwnProcess(tx, companyID, processID))) {
    throw new ApiError('BAD_REQUEST', 'processID: the company has no such process');
  }
  if (accountID !== undefined) await lockAccountOfCaller(tx, { accountID, sessionHash });
}
