import { ALL_PERMISSIONS, permissionsBeyond, permissionsOf } from './permissions';

const onlyPermissions = (...names: string[]) =>
  permissionsOf({
    execute: names.includes('execute'),
    edit: names.includes('edit'),
    api: names.includes('api'),
    schedule: names.includes('schedule'),
    delete: names.includes('delete'),
    share: names.includes('share'),
  });

test.each([
  ['the owner grants anything', ALL_PERMISSIONS, ALL_PERMISSIONS, undefined, []],
  ['one’s own permissions may be handed on', onlyPermissions('share', 'edit'), onlyPermissions('edit'), undefined, []],
  [
    'permissions that one lacks may not be handed on',
    onlyPermissions('share'),
    onlyPermissions('edit', 'execute'),
    undefined,
    ['execute', 'edit'],
  ],
  [
    'permissions that the other account already has may stay',
    onlyPermissions('share'),
    onlyPermissions('edit'),
    onlyPermissions('edit'),
    [],
  ],
  ['taking away is always allowed', onlyPermissions('share'), onlyPermissions(), onlyPermissions('edit', 'delete'), []],
])('a share grants only the permissions of its maker: %s', (_, own, granted, current, refused) => {
  expect(permissionsBeyond(own, granted, current)).toEqual(refused);
});
