import { v7 as uuid } from 'uuid';
import { authorizeProcess, mintCredential, PERMISSIONS, readCredential, readID, readProcessKey } from '.';
import type { Permission, ProcessAccess } from '.';

test.each([
  [undefined, 'MISSING_CREDENTIAL'],
  ['', 'MISSING_CREDENTIAL'],
  ['Bearer', 'MISSING_CREDENTIAL'],
  ['Bearer  ', 'MISSING_CREDENTIAL'],
  ['Basic dXNlcjpwYXNz', 'MISSING_CREDENTIAL'],
  ['Bearer abc', 'INVALID_CREDENTIAL'],
  [`Bearer ${mintCredential(uuid()).value} more`, 'INVALID_CREDENTIAL'],
])('Authorization: %s is %s', (header, code) => {
  expect(() => readCredential(header)).toThrow(expect.objectContaining({ code }));
});

test.each([undefined, '', '  '])('X-Process-Key %j is missing', (header) => {
  expect(() => readProcessKey(header)).toThrow(expect.objectContaining({ code: 'MISSING_PROCESS_KEY' }));
});

test('an id is a UUID, in any case', () => {
  const id = uuid();
  expect(readID(id.toUpperCase())).toBe(id);
  for (const other of ['', 'x', `${id}0`, ` ${id}`, id.replaceAll('-', ''), 5, null]) {
    expect(readID(other)).toBeUndefined();
  }
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

test.each(PERMISSIONS)('%s is granted by a share that says so and by nothing else', (permission) => {
  expect(authorizeProcess(access([permission]), permission).key).toEqual(key);
  const others = PERMISSIONS.filter((each) => each !== permission);
  expect(() => authorizeProcess(access(others), permission)).toThrow(`"${permission}"`);
});

test('the owner needs no permission, and reading needs none of a share', () => {
  expect(authorizeProcess(access([], true), 'delete').owned).toBe(true);
  expect(authorizeProcess(access([])).owned).toBe(false);
});
