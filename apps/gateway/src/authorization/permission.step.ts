import { requirePermission } from '@batuta/auth';
import type { AuthorizationStep } from './authorization';

/** Refuses a process whose API access is blocked, also to its owner, and a share without the permission of the route. */
export const permissionStep: AuthorizationStep = ({ request, route }) => {
  if (!request.process) throw new Error('The key step comes before the permission step');
  requirePermission(request.process, route.permission);
};
