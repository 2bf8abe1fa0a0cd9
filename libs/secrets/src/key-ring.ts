import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
  type KeyObject,
} from 'node:crypto';
import { parseSecretKeys, SECRET_KEYS_RULE } from '@batuta/config';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/**
 * Number of nonces that one call for random bytes makes, because such a call takes longer than sealing a short value.
 */
const NONCE_BATCH_SIZE = 256;

/**
 * Seals values with AES-256-GCM (contract 2.6: a Secreto is stored encrypted). The ring has several keys with ids, so that keys
 * are changed without downtime: the first key seals, and each key unseals what it sealed. A sealed value is
 * `id length (1 byte) | id | nonce (12) | tag (16) | ciphertext`.
 */
export class KeyRing {
  /** Key objects instead of bytes: with them a cipher takes half of the time, and an HMAC an eighth. */
  private readonly keys = new Map<string, KeyObject>();
  /** Keys for authentication codes, derived from `keys`. */
  private readonly macKeys = new Map<string, KeyObject>();
  /** The id of the key that seals. */
  readonly sealingID: string;
  /** The first bytes of every sealed value. */
  private readonly header: Buffer;
  /** Random bytes for the next nonces. */
  private nonces = Buffer.alloc(0);

  /** `setting` is SECRET_KEYS: `id:base64,id:base64`. Throws for any other text. */
  constructor(setting: string) {
    const keys = parseSecretKeys(setting);
    if (!keys) throw new Error(`SECRET_KEYS: ${SECRET_KEYS_RULE}`);
    for (const [id, key] of keys) {
      this.keys.set(id, createSecretKey(key));
      const macKey = hkdfSync('sha256', key, '', 'batuta authentication code', KEY_BYTES);
      this.macKeys.set(id, createSecretKey(Buffer.from(macKey)));
    }
    [this.sealingID = ''] = this.keys.keys();
    const id = Buffer.from(this.sealingID);
    this.header = Buffer.concat([Buffer.from([id.length]), id]);
  }

  /** Encrypts `plain`. `context`, such as the id of an instance, must be the same for unsealing. */
  seal(plain: string, context: string): Buffer {
    const nonce = this.nextNonce();
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(this.sealingID), nonce);
    cipher.setAAD(Buffer.from(context));
    const [body, rest] = [cipher.update(plain, 'utf8'), cipher.final()];
    return Buffer.concat([this.header, nonce, cipher.getAuthTag(), body, rest]);
  }

  /** Decrypts a sealed value. Throws when its key is not in the ring, the context differs or a byte was changed. */
  unseal(sealed: Buffer, context: string): string {
    const idEnd = 1 + (sealed[0] ?? 0);
    const nonceEnd = idEnd + NONCE_BYTES;
    const tagEnd = nonceEnd + TAG_BYTES;
    const key = this.keyOf(KeyRing.keyIDOf(sealed));
    // The length of the tag is fixed: by default a value that was cut within its tag would pass with the bytes that are left.
    const options = { authTagLength: TAG_BYTES };
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(idEnd, nonceEnd), options);
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8');
  }

  /**
   * An authentication code (HMAC-SHA256, 32 bytes) of `text` in a context, made with a key that is derived from the first key of the
   * ring: without the ring nobody can find the text by trying candidates.
   */
  mac(text: string, context: string): Buffer {
    const key = this.macKeys.get(this.sealingID);
    if (!key) throw new Error('SECRET_KEYS has no key');
    return macOf(text, context, key);
  }

  /** Whether `mac` was made of this text in this context, with any key of the ring. */
  isMac(mac: Buffer, text: string, context: string): boolean {
    return [...this.macKeys.values()].some((key) => {
      const made = macOf(text, context, key);
      return made.length === mac.length && timingSafeEqual(made, mac);
    });
  }

  /** The id of the key that sealed a value, of which the first bytes are enough. */
  static keyIDOf(sealed: Buffer): string {
    return sealed.toString('utf8', 1, 1 + (sealed[0] ?? 0));
  }

  private nextNonce(): Buffer {
    if (this.nonces.length === 0) this.nonces = randomBytes(NONCE_BATCH_SIZE * NONCE_BYTES);
    const nonce = this.nonces.subarray(0, NONCE_BYTES);
    this.nonces = this.nonces.subarray(NONCE_BYTES);
    return nonce;
  }

  private keyOf(id: string): KeyObject {
    const key = this.keys.get(id);
    if (!key) throw new Error(`SECRET_KEYS has no key "${id}"`);
    return key;
  }
}

/** The length of the context comes first, so that no other context and text give the same bytes. */
function macOf(text: string, context: string, key: KeyObject): Buffer {
  return createHmac('sha256', key).update(`${context.length}:${context}`).update(text).digest();
}
