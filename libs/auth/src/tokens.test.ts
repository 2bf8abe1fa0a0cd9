import { v7 as uuid } from 'uuid';
import { bearerToken, hashSecret, matchesHash, mintCredential, mintSecret, parseCredential } from '.';

test('a credential carries its id and a secret that matches only its hash', () => {
  const id = uuid();
  const { value, hash } = mintCredential(id);
  const parsed = parseCredential(value);
  expect(parsed?.credentialID).toBe(id);
  expect(matchesHash(parsed?.secret ?? '', hash)).toBe(true);
  expect(matchesHash(`${parsed?.secret}x`, hash)).toBe(false);
});

test.each(['', 'bat_live_', 'bat_live_x.y', `bat_test_${'a'.repeat(32)}.${'b'.repeat(43)}`])(
  'a text of the form %j is no credential',
  (value) => expect(parseCredential(value)).toBeUndefined(),
);

test('opaque secrets have a prefix for their kind and never repeat', () => {
  const [one, two] = [mintSecret('bpk'), mintSecret('bpk')];
  expect(one.value).toMatch(/^bpk_[\w-]{43}$/);
  expect(one.value).not.toBe(two.value);
  expect(hashSecret(one.value).equals(one.hash)).toBe(true);
});

test.each([
  ['Bearer abc', 'abc'],
  ['bearer  abc ', 'abc'],
  ['Basic abc', undefined],
  ['Bearer', undefined],
  ['Bearer a b', undefined],
  [undefined, undefined],
])('the bearer token of %j is %j', (header, token) => expect(bearerToken(header)).toBe(token));
