import { diffieHellman } from 'node:crypto';
import {
  decapsulate,
  encapsulate,
  expand,
  extract,
  hpkeOpen,
  hpkeSeal,
  keyPairOf,
  importPublicKey,
  type KeyPair,
} from './hpke';

const bytesOfHex = (text: string) => Buffer.from(text, 'hex');
/** The keys of RFC 7748, 6.1. */
const ALICE = keyPairOf(bytesOfHex('77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a'));
const BOB = keyPairOf(bytesOfHex('5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb'));

test('keys and their agreement are those of RFC 7748', () => {
  expect(ALICE.bytes).toEqual(bytesOfHex('8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a'));
  expect(BOB.bytes).toEqual(bytesOfHex('de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f'));
  const shared = diffieHellman({ privateKey: ALICE.key, publicKey: importPublicKey(BOB.bytes).key });
  expect(shared).toEqual(bytesOfHex('4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742'));
});

test('keys are derived as in RFC 5869', () => {
  const key = extract(bytesOfHex('000102030405060708090a0b0c'), Buffer.alloc(22, 0x0b));
  expect(key).toEqual(bytesOfHex('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5'));
  const output = expand(key, bytesOfHex('f0f1f2f3f4f5f6f7f8f9'), 32);
  expect(output).toEqual(bytesOfHex('3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf'));
  expect(() => expand(key, Buffer.alloc(0), 33)).toThrow(RangeError);
});

test('the shared secret is that of RFC 9180, A.1.1', () => {
  const recipient = keyPairOf(bytesOfHex('4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8'));
  const ephemeral = bytesOfHex('37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431');
  expect(decapsulate(recipient, ephemeral)).toEqual(
    bytesOfHex('fe0e18c9f024ce43799ae393c7e8fe8fce9d218875e8227b0187c04e7d2ea1fc'),
  );
});

describe('boxes', () => {
  const info = Buffer.from('batuta offer 019aa0f3-0a10-7f00-8000-000000000001 1');
  const plain = '{"vault":{"TOKEN":"hunter2"}}';
  /** A box that pyca/cryptography 48 sealed to Alice: Suite(X25519, HKDF_SHA256, AES_256_GCM). */
  const boxOfOtherImplementation = bytesOfHex(
    'd131bb37125fea7eb03a49010fa4aff1f6611ce0450e601d4c46096f46d31e3bc406b25e547cb40517a0fe41f9b199ca76b6a8b89888ca28090eca6a8e7398487bfae69c3a5b1d9ebef1df0086',
  );

  const openBox = (recipient: KeyPair, context: Buffer, box: Buffer) =>
    hpkeOpen((publicKey) => decapsulate(recipient, publicKey), context, box);

  test('a box of another implementation of RFC 9180 opens', () => {
    expect(openBox(ALICE, info, boxOfOtherImplementation).toString()).toBe(plain);
  });

  test('a box is the same for the same keys, and begins with the public key of its sender', () => {
    const box = hpkeSeal(encapsulate(importPublicKey(ALICE.bytes), BOB), info, Buffer.from(plain));
    expect(box).toEqual(hpkeSeal(encapsulate(importPublicKey(ALICE.bytes), BOB), info, Buffer.from(plain)));
    expect(box.subarray(0, 32)).toEqual(BOB.bytes);
    expect(openBox(ALICE, info, box).toString()).toBe(plain);
  });

  test('a box has keys of its own, so that two boxes of one text differ', () => {
    const [one, other] = [1, 2].map(() =>
      hpkeSeal(encapsulate(importPublicKey(ALICE.bytes)), info, Buffer.from(plain)).toString('hex'),
    );
    expect(one).not.toBe(other);
  });

  test('a box of a shared encapsulation opens with its own info only, and differs from one with another info', () => {
    const encapsulation = encapsulate(importPublicKey(ALICE.bytes));
    const others = Buffer.from('batuta offer 019aa0f3-0a10-7f00-8000-000000000001 2');
    const box = hpkeSeal(encapsulation, info, Buffer.from(plain));
    const other = hpkeSeal(encapsulation, others, Buffer.from(plain));
    expect(openBox(ALICE, info, box).toString()).toBe(plain);
    expect(openBox(ALICE, others, other).toString()).toBe(plain);
    expect(() => openBox(ALICE, info, other)).toThrow('the box does not open');
    expect(other.subarray(32, -16)).not.toEqual(box.subarray(32, -16));
  });

  test('a box does not open after a change of any of its bytes, nor when it is cut', () => {
    for (let index = 0; index < boxOfOtherImplementation.length; index += 1) {
      const changed = Buffer.from(boxOfOtherImplementation);
      changed.writeUInt8(changed.readUInt8(index) ^ 0x01, index);
      expect(() => openBox(ALICE, info, changed)).toThrow('does not open');
      expect(() => openBox(ALICE, info, boxOfOtherImplementation.subarray(0, index))).toThrow('does not open');
    }
  });

  test('a box does not open with another key or another context', () => {
    expect(() => openBox(BOB, info, boxOfOtherImplementation)).toThrow('does not open');
    expect(() => openBox(ALICE, Buffer.from(`${info.toString()}0`), boxOfOtherImplementation)).toThrow('does not open');
  });
});
