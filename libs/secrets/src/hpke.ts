import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  diffieHellman,
  generateKeyPairSync,
  type Hmac,
  type KeyObject,
} from 'node:crypto';

/** Bytes of a key of X25519. */
const PUBLIC_KEY_BYTES = 32;
const TAG_BYTES = 16;
const NONCE_BYTES = 12;
const KEY_BYTES = 32;
const EMPTY_BYTES = Buffer.alloc(0);

/** DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM: the numbers of the RFC. */
const KEM_SUITE = Buffer.concat([Buffer.from('KEM'), u16(0x0020)]);
const HPKE_SUITE_ID = Buffer.concat([Buffer.from('HPKE'), u16(0x0020), u16(0x0001), u16(0x0002)]);
const BASE_MODE = Buffer.from([0]);
const FIRST_BLOCK = Buffer.from([1]);
/** The bytes before the 32 bytes of a key in the DER forms SPKI and PKCS #8. */
const SPKI_PREFIX = Buffer.from('302a300506032b656e032100', 'hex');
const PKCS8_PREFIX = Buffer.from('302e020100300506032b656e04220420', 'hex');

const PSK_ID_HASH = labeledExtract(HPKE_SUITE_ID, EMPTY_BYTES, 'psk_id_hash', EMPTY_BYTES);

/** A key with its 32 bytes, which node:crypto takes long to export. */
export interface RawKey {
  key: KeyObject;
  bytes: Buffer;
}

/** A private key with the bytes of its public key. */
export type KeyPair = RawKey;

/** Imports a public key from its 32 bytes. Throws for another number of bytes. */
export function importPublicKey(bytes: Buffer): RawKey {
  if (bytes.length !== PUBLIC_KEY_BYTES) throw new Error(`a public key has ${PUBLIC_KEY_BYTES} bytes`);
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, bytes]), format: 'der', type: 'spki' });
  return { key, bytes };
}

/** The pair of a private key, from its 32 bytes or its PEM. Throws when it is no key of X25519. */
export function keyPairOf(secret: Buffer | string): KeyPair {
  const key = Buffer.isBuffer(secret)
    ? createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, secret]), format: 'der', type: 'pkcs8' })
    : createPrivateKey(secret);
  if (key.asymmetricKeyType !== 'x25519') throw new Error('it is not a key of X25519');
  return { key, bytes: rawBytes(createPublicKey(key)) };
}

export function generateKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { key: privateKey, bytes: rawBytes(publicKey) };
}

/** A secret that the sender shares with one recipient, and the public key from which the recipient derives it. */
export interface Encapsulation {
  publicKey: Buffer;
  secret: Buffer;
}

/** RFC 9180, 4.1. `ephemeral` is for test vectors. Throws for a public key to which nothing can be sealed (of low order). */
export function encapsulate(recipient: RawKey, ephemeral = generateKeyPair()): Encapsulation {
  const shared = diffieHellman({ privateKey: ephemeral.key, publicKey: recipient.key });
  return { publicKey: ephemeral.bytes, secret: sharedSecret(shared, ephemeral.bytes, recipient.bytes) };
}

/**
 * Seals `plain` to the recipient of the encapsulation in the base mode of RFC 9180 (HPKE), without associated data. The box is: public key of the
 * encapsulation (32 bytes) | ciphertext | tag (16 bytes). Opening needs the same `info`. Each box of one encapsulation needs another `info`,
 * because only `info` makes the keys of these boxes differ.
 */
export function hpkeSeal({ publicKey, secret }: Encapsulation, info: Buffer, plain: Buffer): Buffer {
  const { key, nonce } = keySchedule(secret, info);
  const cipher = createCipheriv('aes-256-gcm', createSecretKey(key), nonce);
  const body = cipher.update(plain);
  cipher.final();
  return Buffer.concat([publicKey, body, cipher.getAuthTag()]);
}

/**
 * Opens a box. `secretOf` derives the secret that sender and recipient share from the public key of the box's encapsulation (`decapsulate`).
 * Throws when the box was sealed to another key or with another `info`, or when a byte was changed.
 */
export function hpkeOpen(secretOf: (publicKey: Buffer) => Buffer, info: Buffer, box: Buffer): Buffer {
  try {
    const { key, nonce } = keySchedule(secretOf(box.subarray(0, PUBLIC_KEY_BYTES)), info);
    const decipher = createDecipheriv('aes-256-gcm', createSecretKey(key), nonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(box.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(box.subarray(PUBLIC_KEY_BYTES, -TAG_BYTES)), decipher.final()]);
  } catch (error) {
    throw new Error('the box does not open', { cause: error });
  }
}

/** The secret that the recipient and the sender of a box share. `ephemeral`, the first bytes of the box, is the public key of its encapsulation. */
export function decapsulate(recipient: KeyPair, ephemeral: Buffer): Buffer {
  const shared = diffieHellman({ privateKey: recipient.key, publicKey: importPublicKey(ephemeral).key });
  return sharedSecret(shared, ephemeral, recipient.bytes);
}

/** RFC 5869: HKDF-Extract with SHA-256. */
export function extract(salt: Buffer, input: Buffer): Buffer {
  return hmac(salt).update(input).digest();
}

/** RFC 5869: HKDF-Expand with SHA-256, for at most one block of output (32 bytes). */
export function expand(key: Buffer, info: Buffer, length: number): Buffer {
  if (length > KEY_BYTES) throw new RangeError('longer than one block');
  return hmac(key).update(info).update(FIRST_BLOCK).digest().subarray(0, length);
}

/** Uses a key object, with which an HMAC takes a third of the time that it takes with the bytes of the key. */
function hmac(key: Buffer): Hmac {
  return createHmac('sha256', createSecretKey(key));
}

/** RFC 9180, 4.1: binds the secret to both public keys. */
function sharedSecret(shared: Buffer, ephemeral: Buffer, recipient: Buffer): Buffer {
  const key = labeledExtract(KEM_SUITE, EMPTY_BYTES, 'eae_prk', shared);
  return labeledExpand(KEM_SUITE, key, 'shared_secret', Buffer.concat([ephemeral, recipient]), KEY_BYTES);
}

/** The key schedule (RFC 9180, 5.1): derives key and nonce from the shared secret. */
function keySchedule(shared: Buffer, info: Buffer): { key: Buffer; nonce: Buffer } {
  const context = Buffer.concat([
    BASE_MODE,
    PSK_ID_HASH,
    labeledExtract(HPKE_SUITE_ID, EMPTY_BYTES, 'info_hash', info),
  ]);
  const secret = labeledExtract(HPKE_SUITE_ID, shared, 'secret', EMPTY_BYTES);
  return {
    key: labeledExpand(HPKE_SUITE_ID, secret, 'key', context, KEY_BYTES),
    nonce: labeledExpand(HPKE_SUITE_ID, secret, 'base_nonce', context, NONCE_BYTES),
  };
}

function labeledExtract(suite: Buffer, salt: Buffer, label: string, input: Buffer): Buffer {
  return extract(salt, Buffer.concat([Buffer.from('HPKE-v1'), suite, Buffer.from(label), input]));
}

function labeledExpand(suite: Buffer, key: Buffer, label: string, info: Buffer, length: number): Buffer {
  return expand(key, Buffer.concat([u16(length), Buffer.from('HPKE-v1'), suite, Buffer.from(label), info]), length);
}

/** The bytes of a key, exported as JWK, which is faster than DER. */
function rawBytes(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function u16(number: number): Buffer {
  return Buffer.from([number >> 8, number & 0xff]);
}
