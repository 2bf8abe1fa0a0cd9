import { v7 as uuid } from 'uuid';
import {
  mintCredential,
  mintSecret,
  PERMISSIONS,
  readProcessKey,
  requireOwnedOrShared,
  requirePermission,
  requireValidKey,
} from '.';
import type { AuthorizedProcess, Permission, ProcessAccess } from '.';

test.each([undefined, '', '  '])('the header X-Process-Key: %j counts as missing', (header) => {
  expect(() => readProcessKey(header)).toThrow(expect.objectContaining({ code: 'MISSING_PROCESS_KEY' }));
});

test.each([
  ['bpk_', mintSecret('bpk').value, 'is no key of this process'],
  ['abc', 'abc', 'is no key of this process'],
  [
    'bat_',
    mintCredential(uuid()).value,
    'has an account credential (bat_live_…), which belongs in "Authorization: Bearer" of the external API; send a process key (bpk_…)',
  ],
  [
    'bak_',
    mintSecret('bak').value,
    'has an activation key (bak_…), with which only agents connect; send a process key (bpk_…)',
  ],
])('an X-Process-Key that begins with %s and opens no process is refused by its kind', (_prefix, sent, named) => {
  expect(() => requireValidKey({ ...accessWith([], true), key: undefined }, sent)).toThrow(
    expect.objectContaining({ code: 'INVALID_PROCESS_KEY', message: `X-Process-Key: ${named}` }),
  );
});

test('an X-Process-Key that was sent twice is refused with that as the reason, although Node joins both values', () => {
  const { value } = mintSecret('bpk');
  expect(() => requireValidKey({ ...accessWith([], true), key: undefined }, `${value}, ${value}`)).toThrow(
    expect.objectContaining({ code: 'INVALID_PROCESS_KEY', message: 'X-Process-Key: has more than one value' }),
  );
});

const NO_PERMISSIONS = Object.fromEntries(PERMISSIONS.map((permission) => [permission, false]));
const processKey = { keyID: uuid(), identifier: 'erp', revoked: false, expired: false };
const accessWith = (granted: Permission[], owned = false): ProcessAccess => ({
  processID: uuid(),
  owned,
  permissions: owned ? undefined : Object.assign({ ...NO_PERMISSIONS }, ...granted.map((each) => ({ [each]: true }))),
  apiEnabled: true,
  key: processKey,
});

function authorize(process: ProcessAccess, permission?: Permission): AuthorizedProcess {
  const authorized = requireValidKey(requireOwnedOrShared(process), mintSecret('bpk').value);
  requirePermission(authorized, permission);
  return authorized;
}

test.each(PERMISSIONS)('the permission %s is granted by a share with this permission and by no other', (permission) => {
  expect(authorize(accessWith([permission]), permission).key).toEqual(processKey);
  const others = PERMISSIONS.filter((each) => each !== permission);
  expect(() => authorize(accessWith(others), permission)).toThrow(
    expect.objectContaining({ code: 'FORBIDDEN', message: `The share lacks the permission ${permission}.` }),
  );
});

test('the owner needs no permission, and a route without a permission needs only the share', () => {
  expect(authorize(accessWith([], true), 'delete').owned).toBe(true);
  expect(authorize(accessWith([])).owned).toBe(false);
});
