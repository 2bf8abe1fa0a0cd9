import { ALL_PERMISSIONS, permissionsBeyond, permissionsOf } from './permissions';

const only = (...names: string[]) =>
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
  ['one’s own permissions may be handed on', only('share', 'edit'), only('edit'), undefined, []],
  [
    'permissions that one lacks may not be handed on',
    only('share'),
    only('edit', 'execute'),
    undefined,
    ['execute', 'edit'],
  ],
  ['permissions that the other account already has may stay', only('share'), only('edit'), only('edit'), []],
  ['taking away is always allowed', only('share'), only(), only('edit', 'delete'), []],
])('%s', (_, own, granted, current, refused) => {
  expect(permissionsBeyond(own, granted, current)).toEqual(refused);
});
