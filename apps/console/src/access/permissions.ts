import { PERMISSIONS, type Permission, type Permissions } from '@batuta/auth';

export const ALL_PERMISSIONS: Permissions = {
  execute: true,
  edit: true,
  api: true,
  schedule: true,
  delete: true,
  share: true,
};

/** Only the permissions, without the other fields of a row that contains them. */
export function permissionsOf({ execute, edit, api, schedule, delete: remove, share }: Permissions): Permissions {
  return { execute, edit, api, schedule, delete: remove, share };
}

/**
 * The permissions in `granted` that an account with the permissions `own` may not grant: those that neither `own` nor `current`, the share
 * before the change, contains. `current` is undefined for a new share. Withdrawing a permission is always allowed.
 */
export function permissionsBeyond(
  own: Permissions,
  granted: Permissions,
  current: Permissions | undefined,
): Permission[] {
  return PERMISSIONS.filter((permission) => granted[permission] && !own[permission] && !current?.[permission]);
}
