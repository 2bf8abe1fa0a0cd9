import { hashSecret, readID, type ProcessAccess } from '@batuta/auth';
import type { AccessLookups } from './lookups';

/** What ProcessGuard will ask for, asked for while CallerGuard still waits for the caller: one round trip less. */
export interface Foreseen {
  processID: string;
  accountID: string;
  key: string;
  access: Promise<ProcessAccess | undefined>;
}

/** undefined when no process and key are named, or the credential was not seen before. */
export function foresee(
  lookups: Pick<AccessLookups, 'likelyAccount' | 'access'>,
  credentialID: string,
  { pid, processKey }: { pid: unknown; processKey: unknown },
): Foreseen | undefined {
  const processID = readID(pid);
  const accountID = lookups.likelyAccount(credentialID);
  if (processID === undefined || typeof processKey !== 'string' || accountID === undefined) return undefined;
  const key = processKey.trim();
  const access = lookups.access({ processID, accountID, keyHash: hashSecret(key) });
  // Nobody may come to ask for it: the caller may be refused first.
  access.catch(() => {});
  return { processID, accountID, key, access };
}
