import { plainFileName } from './file-name';

test.each([
  ['half of a character', `\u{1f4c4}${'a'.repeat(149)}`, `_${'a'.repeat(149)}`],
  ['a dot', `a.${'a'.repeat(149)}`, 'a'.repeat(149)],
])('a name whose last 150 characters begin with %s loses it', (_what, given, plain) => {
  expect(plainFileName(given)).toBe(plain);
});

test.each([
  [' ..', 'file'],
  ['. .a ', 'a'],
  [' .profile', 'profile'],
])('spaces and dots in front, and spaces at the end, are no part of a name: "%s" becomes "%s"', (given, plain) => {
  expect(plainFileName(given)).toBe(plain);
});
