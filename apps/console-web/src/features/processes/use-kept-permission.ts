import { useState } from 'react';
import type { ProcessAnswer } from '../../api/generated/console-api';
import { hasPermission, type Permission } from './process-access';

/**
 * True if the account has the permission, or had it since the page was opened: a form that the user is filling in stays after the permission
 * was withdrawn, and shows the API's refusal when the user sends it.
 */
export function useKeptPermission(process: ProcessAnswer, permission: Permission): boolean {
  const { processID } = process;
  const isAllowed = hasPermission(process, permission);
  const [allowedFor, setAllowedFor] = useState<string>();
  if (isAllowed && allowedFor !== processID) setAllowedFor(processID);
  return isAllowed || allowedFor === processID;
}
