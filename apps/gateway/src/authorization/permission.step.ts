import { requirePermission } from '@batuta/auth';
import type { AuthorizationStep } from './authorization';

/** Refuses a process that is blocked for the API, and a share that does not grant what the route needs. */
export const permissionStep: AuthorizationStep = ({ request, route }) => {
  if (!request.process) throw new Error('The key step comes before the permission step');
  requirePermission(request.process, route.permission);
};
