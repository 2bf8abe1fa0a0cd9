import { hashSecret, readID, type ProcessAccess } from '@batuta/auth';
import type { GatewayRequest } from '../http/request';
import type { AccessLookups } from './lookups';

/** What ProcessGuard will ask for, asked for while CallerGuard still waits for the caller: one round trip less. */
export interface Foreseen {
  processID: string;
  accountID: string;
  key: string;
  access: Promise<ProcessAccess | undefined>;
}

/** undefined when the request names no process and key, or its credential was not seen before. */
export function foresee(lookups: AccessLookups, request: GatewayRequest, credentialID: string): Foreseen | undefined {
  const processID = readID(request.params['pid']);
  const key = request.headers['x-process-key'];
  const accountID = lookups.likelyAccount(credentialID);
  if (processID === undefined || typeof key !== 'string' || accountID === undefined) return undefined;
  const access = lookups.access({ processID, accountID, keyHash: hashSecret(key.trim()) });
  // Nobody may come to ask for it: the caller may be refused first.
  access.catch(() => {});
  return { processID, accountID, key: key.trim(), access };
}
