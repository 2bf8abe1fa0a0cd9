import { EMAIL_LENGTH, normalizeEmail, readEmail, UNITS_PER_COMPOSED } from './email';

const LAST_CODE_POINT = 0x10ffff;

test.each([
  ['spaces around it', ' \u00a0ana@example.com\u3000', 'ana@example.com'],
  ['capital letters', 'ANA@Example.COM', 'ana@example.com'],
  ['full-width letters', 'ａｎａ＠ｅｘａｍｐｌｅ．ｃｏｍ', 'ana@example.com'],
  ['decomposed accents', 'jose\u0301@example.com', 'josé@example.com'],
  ['letters that are forms of another', 'ﬁ\u2c7c\u212a@example.com', 'fijk@example.com'],
])('an e-mail address with %s has one stored form', (_, text, stored) => expect(readEmail(text)).toBe(stored));

test('an e-mail address with an accent is another address than the one without', () => {
  expect(readEmail('cónta1@example.com')).toBe('cónta1@example.com');
});

test.each([
  ['a zero-width joiner', 'con\u200dta1@example.com'],
  ['a zero-width space', 'con\u200bta1@example.com'],
  ['a soft hyphen', 'con\u00adta1@example.com'],
  ['a byte order mark inside', 'con\ufeffta1@example.com'],
  ['a variation selector', 'conta1\ufe0f@example.com'],
  ['a Hangul filler', 'conta1\u3164@example.com'],
  ['a blank braille pattern', 'conta1\u2800@example.com'],
  ['a mark of direction', '\u202econta1@example.com'],
  ['a control character', 'conta1\u0007@example.com'],
  ['a lone surrogate', 'conta1\ud800@example.com'],
  ['a private character', 'conta1\ue000@example.com'],
  ['a space inside', 'con ta1@example.com'],
  ['two signs', 'conta1@example.com@x'],
  ['a full-width second sign', 'conta1@example.com＠x'],
  ['no sign', 'conta1'],
  ['nothing before the sign', '@example.com'],
  ['too many characters', `${'a'.repeat(EMAIL_LENGTH.max)}@x`],
])('a text with %s is no e-mail address', (_, text) => expect(readEmail(text)).toBeUndefined());

test('the stored form of a stored form is itself, for every character that has another form', () => {
  const unstable: string[] = [];
  for (let code = 0; code <= LAST_CODE_POINT; code += 1) {
    const character = String.fromCodePoint(code);
    if (character.normalize('NFKC').toLowerCase() === character) continue;
    const form = normalizeEmail(`a${character}\u0301@x`);
    if (normalizeEmail(form) !== form) unstable.push(code.toString(16));
  }
  expect(unstable).toEqual([]);
});

test('no character of the forms NFC and NFKC is composed from more UTF-16 code units than UNITS_PER_COMPOSED', () => {
  const characters = Array.from({ length: LAST_CODE_POINT + 1 }, (_, code) => String.fromCodePoint(code));
  // NFKC also composes characters that stand for others, such as a mathematical letter, which has two units, for a letter.
  const longest = new Map<string, number>();
  for (const character of characters) {
    const decomposed = character.normalize('NFKD');
    longest.set(decomposed, Math.max(longest.get(decomposed) ?? 0, character.length));
  }
  const unitsOf = (character: string) =>
    Array.from(character.normalize('NFKD')).reduce((units, part) => units + (longest.get(part) ?? part.length), 0);
  const composed = characters.filter((character) => character.normalize('NFKC') === character);
  expect(Math.max(...new Set(composed.map(unitsOf)))).toBe(UNITS_PER_COMPOSED);
  expect(Math.max(...new Set(characters.map((character) => character.normalize('NFD').length)))).toBe(
    UNITS_PER_COMPOSED,
  );
});

test('an e-mail address of the greatest length is accepted when its characters are sent decomposed', () => {
  const address = `${'\u{16126}'.repeat(EMAIL_LENGTH.max - 2)}@x`;
  expect(readEmail(address.normalize('NFD'))).toBe(address);
});

test('an e-mail address with a megabyte of accents is refused before it is normalized', () => {
  expect(readEmail(`a${'\u0301\u0316'.repeat(500_000)}@x`)).toBeUndefined();
});
