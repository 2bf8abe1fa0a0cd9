import type { Hook } from '@batuta/auth';
import { accessAnswers, hooksByToken, type AccessAnswer, type AccessQuestion } from '@batuta/catalog';
import type { Store } from '@batuta/database';
import DataLoader from 'dataloader';
import { inTime } from '../http/in-time';

/** Questions of one query. */
const LARGEST_BATCH = 50;

/**
 * Who calls and what they may reach, read anew for every request: nothing that can be revoked is remembered. Requests
 * that arrive in the same turn of the event loop share a query.
 */
export class AccessLookups {
  private readonly answers: DataLoader<AccessQuestion, AccessAnswer | undefined>;
  private readonly hooks: DataLoader<Buffer, Hook | undefined>;

  constructor(store: Store, milliseconds: number) {
    const options = { cache: false, maxBatchSize: LARGEST_BATCH, batchScheduleFn: setImmediate };
    this.answers = new DataLoader((questions) => inTime(accessAnswers(store, questions), milliseconds), options);
    this.hooks = new DataLoader((hashes) => inTime(hooksByToken(store, hashes), milliseconds), options);
  }

  /** Who calls and, where a process is named, how the caller reaches it; undefined when there is no such credential. */
  access(question: AccessQuestion): Promise<AccessAnswer | undefined> {
    return this.answers.load(question);
  }

  /** By the SHA-256 of its token; undefined when there is no such webhook URL. */
  hook(tokenHash: Buffer): Promise<Hook | undefined> {
    return this.hooks.load(tokenHash);
  }
}
