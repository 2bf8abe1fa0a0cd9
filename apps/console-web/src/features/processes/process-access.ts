import type { PermissionsAnswer, ProcessAnswer } from '../../api/generated/console-api';

export const PERMISSIONS = [
  'execute',
  'edit',
  'schedule',
  'api',
  'share',
  'delete',
] as const satisfies (keyof PermissionsAnswer)[];
export type Permission = (typeof PERMISSIONS)[number];

/** Whether the account has the permission: an owner has all of them, another account those of its share. */
export function hasPermission(
  { owned, permissions }: Pick<ProcessAnswer, 'owned' | 'permissions'>,
  permission: Permission,
) {
  return owned || permissions?.[permission] === true;
}
