import { randomBytes } from 'node:crypto';
import { KeyRing } from '.';

const newKey = () => randomBytes(32).toString('base64');

test('a key ring unseals what it sealed, in the same context only', () => {
  const ring = new KeyRing(`k1:${newKey()}`);
  const sealed = ring.seal('segredo ção', 'instance-1');
  expect(ring.unseal(sealed, 'instance-1')).toBe('segredo ção');
  expect(() => ring.unseal(sealed, 'instance-2')).toThrow(/authenticate/);
});

test('sealing one text twice gives different bytes', () => {
  const ring = new KeyRing(`k1:${newKey()}`);
  expect(ring.seal('a', 'c').equals(ring.seal('a', 'c'))).toBe(false);
});

test('a thousand sealed values have a thousand nonces', () => {
  const ring = new KeyRing(`k1:${newKey()}`);
  const nonces = Array.from({ length: 1_000 }, () => ring.seal('', 'c').toString('hex', 3, 15));
  expect(new Set(nonces).size).toBe(1_000);
});

test('a sealed value with a changed byte is not unsealed', () => {
  const ring = new KeyRing(`k1:${newKey()}`);
  const sealed = ring.seal('segredo', 'c');
  sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
  expect(() => ring.unseal(sealed, 'c')).toThrow(/authenticate/);
});

test('a sealed value that was cut within its authentication tag is not unsealed', () => {
  const ring = new KeyRing(`k1:${newKey()}`);
  const sealed = ring.seal('', 'c');
  const lengths = Array.from({ length: 15 }, (_, index) => sealed.length - 15 + index);
  for (const length of lengths) expect(() => ring.unseal(sealed.subarray(0, length), 'c')).toThrow(/tag/);
});

test('after a key change the old key unseals old values and the new key seals', () => {
  const [k1, k2] = [newKey(), newKey()];
  const old = new KeyRing(`k1:${k1}`).seal('a', 'c');
  const ring = new KeyRing(`k2:${k2},k1:${k1}`);
  expect(ring.unseal(old, 'c')).toBe('a');
  expect(new KeyRing(`k2:${k2}`).unseal(ring.seal('b', 'c'), 'c')).toBe('b');
  expect(() => new KeyRing(`k2:${k2}`).unseal(old, 'c')).toThrow(/no key "k1"/);
});

test.each(['', 'k1', 'k1:c2hvcnQ=', `k1:${newKey()},k1:${newKey()}`])('the key ring %j is refused', (setting) => {
  expect(() => new KeyRing(setting)).toThrow(/SECRET_KEYS/);
});

test('an authentication code belongs to one text, context and key ring', () => {
  const [k1, k2] = [newKey(), newKey()];
  const ring = new KeyRing(`k1:${k1}`);
  const mac = ring.mac('pin 1234', 'a');
  expect(mac).toHaveLength(32);
  expect(ring.mac('pin 1234', 'a')).toEqual(mac);
  expect(ring.isMac(mac, 'pin 1234', 'a')).toBe(true);
  expect(ring.isMac(mac, 'pin 1235', 'a')).toBe(false);
  expect(ring.isMac(mac, 'pin 1234', 'b')).toBe(false);
  expect(ring.isMac(ring.mac('b', 'a'), '', 'ab')).toBe(false);
  expect(ring.isMac(mac.subarray(1), 'pin 1234', 'a')).toBe(false);
  expect(new KeyRing(`k1:${k2}`).isMac(mac, 'pin 1234', 'a')).toBe(false);
  expect(new KeyRing(`k2:${k2},k1:${k1}`).isMac(mac, 'pin 1234', 'a')).toBe(true);
  expect(new KeyRing(`k2:${k2},k1:${k1}`).mac('pin 1234', 'a')).not.toEqual(mac);
});
