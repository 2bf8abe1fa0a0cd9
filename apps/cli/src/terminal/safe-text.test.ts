import { safeJson, safeLine, safeText } from './safe-text';

test.each([
  ['a colour', '\u001b[31mred\u001b[0m', 'red'],
  ['a cursor move', 'a\u001b[2J\u001b[1;1Hb', 'ab'],
  ['a one-byte control sequence', 'a\u009b31mb', 'ab'],
  ['a window title', '\u001b]0;owned\u0007x', 'x'],
  ['a link with an ESC end', '\u001b]8;;http://evil.test\u001b\\click\u001b]8;;\u001b\\', 'click'],
  ['a string without an end', 'a\u001bPpayload', 'a'],
  ['a reset', 'a\u001bcb', 'ab'],
  ['a lone ESC at the end', 'a\u001b', 'a'],
  ['backspaces and bells', 'safe\b\b\b\bevil\u0007', 'safeevil'],
  ['a text that turns its direction', 'a\u202egnp.exe', 'agnp.exe'],
  ['an overwritten line', 'good\rbad', 'goodbad'],
])('safeText removes %s', (_, text, safe) => {
  expect(safeText(text)).toBe(safe);
});

test('safeText keeps lines, tabs and letters of all scripts', () => {
  expect(safeText('São\tPaulo\r\n東京 👍')).toBe('São\tPaulo\n東京 👍');
  expect(safeLine('a\nb\tc')).toBe('a b c');
});

test('safeJson keeps the value and shows no control character', () => {
  const value = { name: '\u001b[31m\u009b1m\u202ex\u007f' };
  const text = safeJson(value);
  // oxlint-disable-next-line no-control-regex
  expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  expect(JSON.parse(text)).toEqual(value);
  expect(safeJson(undefined)).toBe('null');
});
