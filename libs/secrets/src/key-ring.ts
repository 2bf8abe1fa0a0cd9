import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
/** Asking the system for random bytes takes longer than sealing a short value: it is asked for many nonces at once. */
const NONCES = 256;

/**
 * Seals values with AES-256-GCM (contract 2.6: a Secreto is held encrypted). Several keys with ids, so that keys can be
 * changed without a stop: the first one seals, each opens what it sealed. A sealed value is
 * `id length (1 byte) | id | nonce (12) | tag (16) | ciphertext`.
 */
export class KeyRing {
  private readonly keys = new Map<string, Buffer>();
  private readonly sealingID: string;
  /** What a sealed value begins with. */
  private readonly header: Buffer;
  /** Random bytes that were not used yet. */
  private nonces = Buffer.alloc(0);

  /** `SECRET_KEYS`: `id:base64,id:base64`. Throws if a key is not 32 bytes or an id comes twice. */
  constructor(setting: string) {
    for (const entry of setting.split(',')) {
      const colon = entry.indexOf(':');
      const id = entry.slice(0, colon);
      const key = Buffer.from(entry.slice(colon + 1), 'base64');
      if (colon < 1 || id.length > 32 || key.length !== KEY_BYTES || this.keys.has(id)) {
        throw new Error(`SECRET_KEYS: key "${id}" must have an id of its own and 32 bytes in base64`);
      }
      this.keys.set(id, key);
    }
    [this.sealingID = ''] = this.keys.keys();
    const id = Buffer.from(this.sealingID);
    this.header = Buffer.concat([Buffer.from([id.length]), id]);
  }

  /** `context` binds the sealed bytes to their place (an instance's id, say): elsewhere they do not open. */
  seal(plain: string, context: string): Buffer {
    const nonce = this.nextNonce();
    const cipher = createCipheriv('aes-256-gcm', this.keyOf(this.sealingID), nonce);
    cipher.setAAD(Buffer.from(context));
    const [body, rest] = [cipher.update(plain, 'utf8'), cipher.final()];
    return Buffer.concat([this.header, nonce, cipher.getAuthTag(), body, rest]);
  }

  /** Throws when the key is gone, the context differs or a byte was changed. */
  unseal(sealed: Buffer, context: string): string {
    const idEnd = 1 + (sealed[0] ?? 0);
    const nonceEnd = idEnd + NONCE_BYTES;
    const tagEnd = nonceEnd + TAG_BYTES;
    const key = this.keyOf(sealed.toString('utf8', 1, idEnd));
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(idEnd, nonceEnd));
    decipher.setAAD(Buffer.from(context));
    decipher.setAuthTag(sealed.subarray(nonceEnd, tagEnd));
    return Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]).toString('utf8');
  }

  private nextNonce(): Buffer {
    if (this.nonces.length === 0) this.nonces = randomBytes(NONCES * NONCE_BYTES);
    const nonce = this.nonces.subarray(0, NONCE_BYTES);
    this.nonces = this.nonces.subarray(NONCE_BYTES);
    return nonce;
  }

  private keyOf(id: string): Buffer {
    const key = this.keys.get(id);
    if (!key) throw new Error(`SECRET_KEYS has no key "${id}"`);
    return key;
  }
}
