import { useEffect, useState } from 'react';
import type { Session } from '../api/session';
import { acceptLoss } from '../common/window-loss';

/**
 * Reloads the page when another account than the first one is logged in, so that it sees neither the data nor the unsaved edits of the first one;
 * answers whether that is so. The session of the first one may have ended, or be one of a one-time password, when somebody else logs in.
 */
export function useOneAccount(session: Session | undefined): boolean {
  const accountID = session?.state === 'account' ? session.account.accountID : undefined;
  const [first, setFirst] = useState(accountID);
  if (first === undefined && accountID !== undefined) setFirst(accountID);
  const isAnother = first !== undefined && accountID !== undefined && accountID !== first;
  useEffect(() => {
    if (!isAnother) return;
    acceptLoss();
    window.location.reload();
  }, [isAnother]);
  return isAnother;
}
