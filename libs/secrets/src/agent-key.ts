import { createHash } from 'node:crypto';
import {
  decapsulate,
  encapsulate,
  generateKeyPair,
  hpkeOpen,
  hpkeSeal,
  keyPairOf,
  importPublicKey,
  type Encapsulation,
  type KeyPair,
  type RawKey,
} from './hpke';

/** An offered instance, to which a box belongs. */
interface OfferIdentity {
  instanceID: string;
  fence: number;
}

export type OfferSealer = (plain: string, offered: OfferIdentity) => string;

const BASE64_KEY = /^[A-Za-z0-9+/]{43}=$/;

/** The public key of an agent, to which execution seals the secret values of the instances that the agent gets. */
export class AgentPublicKey {
  private constructor(private readonly raw: RawKey) {}

  /** `text` = the 32 bytes of a key of X25519 in base64. Throws when nothing can be sealed to it. */
  static parse(text: string): AgentPublicKey {
    if (!BASE64_KEY.test(text)) throw new Error('must be the 32 bytes of a key of X25519 in base64');
    const key = new AgentPublicKey(importPublicKey(Buffer.from(text, 'base64')));
    try {
      encapsulate(key.raw);
    } catch {
      throw new Error('must be a key of X25519 to which values can be sealed');
    }
    return key;
  }

  static of({ bytes }: KeyPair): AgentPublicKey {
    return new AgentPublicKey(importPublicKey(bytes));
  }

  /** Fingerprint of the key for people who compare it, in the form that OpenSSH uses. */
  get fingerprint(): string {
    return `SHA256:${createHash('sha256').update(this.raw.bytes).digest('base64').replace(/=+$/, '')}`;
  }

  /**
   * Returns a function that seals the text of an offer in a box (base64) that only this agent opens, and only for that instance and fence.
   * The boxes of one function share an encapsulation, which takes most of the time: use one function for all offers of one reply, and call it
   * once per offer.
   */
  sealer(): OfferSealer {
    let encapsulation: Encapsulation | undefined;
    return (plain, offered) => {
      encapsulation ??= encapsulate(this.raw);
      return hpkeSeal(encapsulation, infoOf(offered), Buffer.from(plain)).toString('base64');
    };
  }

  /** The key in base64. */
  toString(): string {
    return this.raw.bytes.toString('base64');
  }
}

/** The key pair of an agent. */
export class AgentPrivateKey {
  readonly publicKey: AgentPublicKey;
  private lastOpened: Encapsulation | undefined;

  private constructor(private readonly pair: KeyPair) {
    this.publicKey = AgentPublicKey.of(pair);
  }

  static generate(): AgentPrivateKey {
    return new AgentPrivateKey(generateKeyPair());
  }

  /** Throws when the text is no private key of X25519. */
  static fromPem(pem: string): AgentPrivateKey {
    return new AgentPrivateKey(keyPairOf(pem));
  }

  toPem(): string {
    return this.pair.key.export({ format: 'pem', type: 'pkcs8' }).toString();
  }

  /** Returns the text in a box. Throws for a box of another agent, instance or fence, and when a byte was changed. */
  open(sealed: string, offered: OfferIdentity): string {
    const secretOf = (publicKey: Buffer) => this.secretOf(publicKey);
    return hpkeOpen(secretOf, infoOf(offered), Buffer.from(sealed, 'base64')).toString('utf8');
  }

  /** Keeps the last secret, because the offers of one reply share their encapsulation, and deriving its secret takes most of the time. */
  private secretOf(publicKey: Buffer): Buffer {
    if (!this.lastOpened?.publicKey.equals(publicKey)) {
      // A copy: the key is a part of the whole box, which would stay in memory.
      this.lastOpened = { publicKey: Buffer.from(publicKey), secret: decapsulate(this.pair, publicKey) };
    }
    return this.lastOpened.secret;
  }
}

/** Binds a box to its instance: a part of the context from which its key is derived. */
function infoOf({ instanceID, fence }: OfferIdentity): Buffer {
  return Buffer.from(`batuta offer ${instanceID} ${fence}`);
}
