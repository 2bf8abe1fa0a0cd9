import { entryLimit } from '@batuta/async';
import { ApiError } from '@batuta/errors';
import { AgentPublicKey } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

const MAX_KEYS = 10_000;

/** Cache of parsed public keys of agents whose routers claim at this replica. */
@Injectable()
export class AgentKeys {
  private readonly keys = new LRUCache<string, AgentPublicKey>(entryLimit(MAX_KEYS));

  /** The public key in a text, parsed once. Throws BAD_REQUEST for a text that is no key. */
  parse(text: string): AgentPublicKey {
    const known = this.keys.get(text);
    if (known) return known;
    const key = parsePublicKey(text);
    this.keys.set(text, key);
    return key;
  }
}

function parsePublicKey(text: string): AgentPublicKey {
  try {
    return AgentPublicKey.parse(text);
  } catch (error) {
    throw new ApiError('BAD_REQUEST', `publicKey: ${error instanceof Error ? error.message : String(error)}`);
  }
}
