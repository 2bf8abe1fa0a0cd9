import { PERMISSIONS, type Permission, type Permissions } from '@batuta/auth';
import { z } from 'zod';

export const permissionsAnswer = z.object({
  execute: z.boolean(),
  edit: z.boolean(),
  api: z.boolean(),
  schedule: z.boolean(),
  delete: z.boolean(),
  share: z.boolean(),
});

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
 * The permissions that somebody may not hand out: those they lack themselves and that the other one does not have yet.
 * Taking away is always allowed to who manages shares.
 */
export function notTheirsToGrant(
  own: Permissions,
  wanted: Permissions,
  current: Permissions | undefined,
): Permission[] {
  return PERMISSIONS.filter((permission) => wanted[permission] && !own[permission] && !current?.[permission]);
}
