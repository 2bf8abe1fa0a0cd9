import { readSettings, SECRET_KEYS_RULE, SecretKeys } from '.';

class Settings {
  @SecretKeys()
  SECRET_KEYS!: string;
}

const keyOf = (byte: number, bytes = 32) => Buffer.alloc(bytes, byte).toString('base64');

test.each([
  `k1:${keyOf(1)}`,
  `k1:${keyOf(1).replace('=', '')}`,
  `k1:${Buffer.alloc(32, 255).toString('base64url')}`,
  `k-2_:${keyOf(2)},k1:${keyOf(1)}`,
  `k2:${keyOf(1)},k1:${keyOf(1)}`,
  `${'k'.repeat(32)}:${keyOf(1)}`,
])('the secret keys %j are read unchanged', (SECRET_KEYS) => {
  expect(readSettings(Settings, { SECRET_KEYS })).toEqual({ SECRET_KEYS });
});

test.each([
  ['a key without an id', keyOf(1)],
  ['an empty id', `:${keyOf(1)}`],
  ['an id with a space', `my key:${keyOf(1)}`],
  ['an id of 33 characters', `${'k'.repeat(33)}:${keyOf(1)}`],
  ['an empty key', 'k1:'],
  ['a key of 31 bytes', `k1:${keyOf(1, 31)}`],
  ['a key of 33 bytes', `k1:${keyOf(1, 33)}`],
  ['a key of 16 bytes after a good one', `k2:${keyOf(2)},k1:${keyOf(1, 16)}`],
  ['a key in hexadecimal', `k1:${'0a'.repeat(32)}`],
  ['a key with a space before it', `k1: ${keyOf(1)}`],
  ['a key in quotes', `"k1:${keyOf(1)}"`],
  ['a key with a sign of no base64', `k1:${keyOf(1).replace('A', '.')}`],
  ['a comma at the end', `k1:${keyOf(1)},`],
  ['a space after the comma', `k2:${keyOf(2)}, k1:${keyOf(1)}`],
  ['a semicolon between the keys', `k2:${keyOf(2)};k1:${keyOf(1)}`],
  ['an id that two keys have', `k1:${keyOf(2)},k1:${keyOf(1)}`],
  ['id and key the wrong way round', `${keyOf(1)}:k1`],
])('%s is refused when the settings are read, and the error has nothing of the value', (_case, SECRET_KEYS) => {
  expect(() => readSettings(Settings, { SECRET_KEYS })).toThrow(
    new Error(`Settings are wrong:\n  SECRET_KEYS: ${SECRET_KEYS_RULE}`),
  );
});
