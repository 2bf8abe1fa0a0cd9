import type { Caller, Hook, ProcessAccess } from '@batuta/auth';
import { callersByCredential, hooksByToken, processAccesses, type AccessQuestion } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import DataLoader from 'dataloader';
import { LRUCache } from 'lru-cache';
import { inTime } from '../http/in-time';

const REMEMBERED_CREDENTIALS = 10_000;

/** Keys of one query; a batch of questions about one shared process joins as many keys with as many shares. */
const LARGEST_BATCH = 50;

/**
 * Who calls and what they may reach, read anew for every request: nothing that can be revoked is remembered. Requests
 * that arrive in the same turn of the event loop share a query.
 */
export class AccessLookups {
  private readonly callers: DataLoader<string, Caller | undefined>;
  private readonly accesses: DataLoader<AccessQuestion, ProcessAccess | undefined>;
  private readonly hooks: DataLoader<Buffer, Hook | undefined>;
  /** Whose a credential is never changes; it is only used to begin the second look-up together with the first. */
  private readonly accounts = new LRUCache<string, string>({ max: REMEMBERED_CREDENTIALS });

  constructor(store: Store, milliseconds: number) {
    const options = { cache: false, maxBatchSize: LARGEST_BATCH, batchScheduleFn: setImmediate };
    this.callers = new DataLoader(async (ids) => {
      const found = await inTime(callersByCredential(store, ids), milliseconds);
      return ids.map((id) => found.get(id));
    }, options);
    this.accesses = new DataLoader((questions) => inTime(processAccesses(store, questions), milliseconds), options);
    this.hooks = new DataLoader((hashes) => inTime(hooksByToken(store, hashes), milliseconds), options);
  }

  async caller(credentialID: string): Promise<Caller | undefined> {
    const caller = await this.callers.load(credentialID);
    if (caller) this.accounts.set(credentialID, caller.accountID);
    return caller;
  }

  /** Whose the credential was when it was last looked up: a guess at the next question, never an answer. */
  likelyAccount(credentialID: string): string | undefined {
    return this.accounts.get(credentialID);
  }

  access(question: AccessQuestion): Promise<ProcessAccess | undefined> {
    return this.accesses.load(question);
  }

  /** By the SHA-256 of its token; undefined when there is no such webhook URL. */
  hook(tokenHash: Buffer): Promise<Hook | undefined> {
    return this.hooks.load(tokenHash);
  }
}
