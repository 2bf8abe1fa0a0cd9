import { v7 as uuid } from 'uuid';
import { PERMISSIONS, readProcessKey, requireLink, requirePermission, requireValidKey } from '.';
import type { AuthorizedProcess, Permission, ProcessAccess } from '.';

test.each([undefined, '', '  '])('the header X-Process-Key: %j counts as missing', (header) => {
  expect(() => readProcessKey(header)).toThrow(expect.objectContaining({ code: 'MISSING_PROCESS_KEY' }));
});

const NONE = Object.fromEntries(PERMISSIONS.map((permission) => [permission, false]));
const key = { identifier: 'erp', revoked: false, expired: false };
const access = (granted: Permission[], owned = false): ProcessAccess => ({
  processID: uuid(),
  owned,
  permissions: owned ? undefined : Object.assign({ ...NONE }, ...granted.map((each) => ({ [each]: true }))),
  apiEnabled: true,
  key,
});

function authorize(process: ProcessAccess, permission?: Permission): AuthorizedProcess {
  const authorized = requireValidKey(requireLink(process));
  requirePermission(authorized, permission);
  return authorized;
}

test.each(PERMISSIONS)('the permission %s is granted by a share with this permission and by no other', (permission) => {
  expect(authorize(access([permission]), permission).key).toEqual(key);
  const others = PERMISSIONS.filter((each) => each !== permission);
  expect(() => authorize(access(others), permission)).toThrow(`"${permission}"`);
});

test('the owner needs no permission, and a route without a permission needs only the share', () => {
  expect(authorize(access([], true), 'delete').owned).toBe(true);
  expect(authorize(access([])).owned).toBe(false);
});
