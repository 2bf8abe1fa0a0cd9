import type { WebhookUrl } from '@batuta/auth';
import { withTimeout } from '@batuta/async';
import { accessAnswers, hooksByToken, type AccessAnswer, type AccessQuestion } from '@batuta/catalog';
import { Store } from '@batuta/database';
import { withTenant } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import DataLoader from 'dataloader';
import { databaseTimeoutError } from '../common/database-timeout-error';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';

/** Maximum questions that share one query. */
const LOOKUP_BATCH_SIZE = 50;

/**
 * Finds callers, processes and webhook URLs. Nothing is cached, because each of them can be revoked at any moment.
 * Requests that arrive in the same turn of the event loop share a query. Throws UNAVAILABLE after READ_TIMEOUT_MS.
 */
@Injectable()
export class AccessLookups {
  private readonly answers: DataLoader<AccessQuestion, AccessAnswer | undefined>;
  private readonly hooks: DataLoader<Buffer, WebhookUrl | undefined>;

  constructor(store: Store, @Inject(GATEWAY_CONFIG) { READ_TIMEOUT_MS }: Pick<GatewayConfig, 'READ_TIMEOUT_MS'>) {
    const options = { cache: false, maxBatchSize: LOOKUP_BATCH_SIZE, batchScheduleFn: setImmediate };
    const inTime = <T>(query: () => Promise<T>) =>
      withTimeout(withTenant(undefined, query), READ_TIMEOUT_MS, databaseTimeoutError);
    this.answers = new DataLoader((questions) => inTime(() => accessAnswers(store, questions)), options);
    this.hooks = new DataLoader((hashes) => inTime(() => hooksByToken(store, hashes)), options);
  }

  /** The caller and, if the question names a process, what the caller may do with it; undefined for an unknown credential. */
  findAccess(question: AccessQuestion): Promise<AccessAnswer | undefined> {
    return this.answers.load(question);
  }

  /** The webhook URL whose token has this SHA-256, also one that was revoked; undefined for an unknown token. */
  findHook(tokenHash: Buffer): Promise<WebhookUrl | undefined> {
    return this.hooks.load(tokenHash);
  }
}
