import { mayOpen } from './navigation';

test.each([
  ['operator', '/operator', true],
  ['operator', '/operator/diagnostics', true],
  ['operator', '/account', true],
  ['operator', '/processes', false],
  ['operator', '/processes/p/matrix', false],
  ['administrator', '/company/events/1', true],
  ['member', '/company', false],
  ['member', '/company/events/1', false],
  ['member', '/processes/p', true],
  ['member', '/operator', false],
] as const)('whether the role %s may open %s is decided by the entry of the navigation: %p', (role, path, may) => {
  expect(mayOpen(role, path)).toBe(may);
});

test.each(['/', '/companyx', '/operator-x/company', '/unknown'])(
  'every role may open %s, which no entry of the navigation but the home page stands for',
  (path) => {
    expect((['member', 'administrator', 'operator'] as const).map((role) => mayOpen(role, path))).toEqual([
      true,
      true,
      true,
    ]);
  },
);
