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

/** The owner may do everything, other accounts what their share allows. */
export function hasPermission(
  { owned, permissions }: Pick<ProcessAnswer, 'owned' | 'permissions'>,
  permission: Permission,
) {
  return owned || permissions?.[permission] === true;
}
