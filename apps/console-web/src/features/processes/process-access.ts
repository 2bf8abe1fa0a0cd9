import type { PermissionsAnswer, ProcessAnswer } from '../../api/generated/console-api';

/** The permissions that a share of a process may give. */
export const PERMISSIONS = [
  'execute',
  'edit',
  'schedule',
  'api',
  'share',
  'delete',
] as const satisfies (keyof PermissionsAnswer)[];
export type Permission = (typeof PERMISSIONS)[number];

/** Whether the account that read the process has the permission: the owner has all of them, another account those of its share. */
export function hasPermission(
  { owned, permissions }: Pick<ProcessAnswer, 'owned' | 'permissions'>,
  permission: Permission,
) {
  return owned || permissions?.[permission] === true;
}
