import { PERMISSIONS, type Permission, type Permissions } from '@batuta/auth';

export const ALL_PERMISSIONS: Permissions = {
  execute: true,
  edit: true,
  api: true,
  schedule: true,
  delete: true,
  share: true,
};

export function permissionsOf({ execute, edit, api, schedule, delete: remove, share }: Permissions): Permissions {
  return { execute, edit, api, schedule, delete: remove, share };
}

/**
 * The permissions of `granted` that an account may not grant: those that it lacks itself and that the share does not have
 * yet. Withdrawing a permission is always allowed.
 */
export function permissionsBeyond(
  own: Permissions,
  granted: Permissions,
  current: Permissions | undefined,
): Permission[] {
  return PERMISSIONS.filter((permission) => granted[permission] && !own[permission] && !current?.[permission]);
}
