import { BatchTooLarge } from '@batuta/catalog';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { DatabaseClock, isContention, isDuplicate, isNotNullViolation, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { currentLargeRequest } from '@batuta/messaging';
import { currentRequestID, Liveness } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { traceToSend } from '@batuta/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { setTimeout as sleep } from 'node:timers/promises';
import { Batcher, type SettledItem } from '../batcher';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { ExecutionMetrics } from '../execution.metrics';
import { AcceptanceTransaction, type SubmittedStart } from './acceptance-transaction';
import { findAccepted, preventStart } from './acceptance.repository';
import { storedIdempotencyKeyOf } from './idempotency';

/**
 * After this number of starts in a row with errors other than ApiErrors, the other starts of the batch fail untried: they would probably fail as
 * well.
 */
const MAX_FAULTS_IN_A_ROW = 5;
/**
 * How often a batch is repeated after another transaction wrote one of its rows first, or after a deadline passed by the clock of the database
 * although this replica sees no late start.
 */
const MAX_BATCH_RETRIES = 5;
/**
 * Shortest time limit of a request. After its deadline a caller still asks whether its start was accepted; such a request gets at least this
 * time.
 */
const MIN_TIME_LIMIT_MS = 1_000;
const MAX_TIME_LIMIT_MS = 10_000;
/** Assumed maximum difference between the clocks of the nodes of a database cluster. */
const CLOCK_TOLERANCE_MS = 250;
/** Registered default values of fewer bytes are not counted in the bytes of a batch. */
const SMALL_VALUES_BYTES = 16 * 1_024;

/** Accepts starts in batches. Repeats a batch that failed because of a concurrent transaction. */
@Injectable()
export class AcceptanceService {
  private readonly batcher: Batcher<SubmittedStart, StartReply>;
  /** Starts in progress by instance id: a request that is sent again meanwhile gets the result of the first one, unless that is UNAVAILABLE. */
  private readonly inProgress = new Map<string, Promise<StartReply>>();

  constructor(
    private readonly store: Store,
    private readonly transaction: AcceptanceTransaction,
    private readonly metrics: ExecutionMetrics,
    private readonly secretKeys: KeyRing,
    private readonly clock: DatabaseClock,
    liveness: Liveness,
    @Inject(EXECUTION_CONFIG) { START_BATCH }: ExecutionConfig,
  ) {
    this.batcher = new Batcher(
      START_BATCH,
      metrics.withBatchItems('starts', (batch, waitsForLocks) => this.acceptBatch(batch, waitsForLocks)),
    );
    liveness.watch('starts', () => this.batcher.batchAgeMs);
  }

  /**
   * Returns the reply to a start. Throws the first refusal (interpretation 11), or UNAVAILABLE, for example when too many starts wait or the
   * database does not answer within the time limit. A request that is sent twice starts only one instance.
   */
  async start(request: StartRequest): Promise<StartReply> {
    const { instanceID } = request;
    const earlier = this.inProgress.get(instanceID);
    if (earlier) return earlier.catch((error: unknown) => this.startAfter(error, request));
    const started = this.submitOnce(request).finally(() => this.inProgress.delete(instanceID));
    this.inProgress.set(instanceID, started);
    return started;
  }

  /**
   * Submits a repeated request whose first attempt ended with UNAVAILABLE and may still store the start. The batcher runs
   * the request after the first attempt, so that the request finds a stored start. Any other error is thrown.
   */
  private startAfter(error: unknown, request: StartRequest): Promise<StartReply> {
    if (!isUnavailable(error)) throw error;
    return this.submitOnce(request);
  }

  /**
   * Submits a request. The refusal of a repeated request is thrown only after `preventStart`, because the COMMIT of an
   * earlier attempt may still hang (interpretation 40).
   */
  private submitOnce(request: StartRequest): Promise<StartReply> {
    const submitted = this.submit(request);
    return request.resent ? submitted.catch((error: unknown) => this.refuse(request, error)) : submitted;
  }

  private async refuse(request: StartRequest, refusal: unknown): Promise<StartReply> {
    if (isUnavailable(refusal)) throw refusal;
    if (request.deadline < this.clock.now()) await sleep(CLOCK_TOLERANCE_MS);
    await preventStart(this.store, request);
    const reply = (await findAccepted(this.store, [request])).get(request.instanceID);
    if (reply) return reply;
    throw refusal;
  }

  private submit(request: StartRequest): Promise<StartReply> {
    const idempotencyKey = storedIdempotencyKeyOf(request, this.secretKeys);
    const keys = idempotencyKey ? [request.instanceID, idempotencyKey.hash.toString('base64')] : [request.instanceID];
    const requestID = currentRequestID() ?? '';
    const left = request.deadline - this.clock.now();
    const timeLimitMs = Math.min(Math.max(left, MIN_TIME_LIMIT_MS), MAX_TIME_LIMIT_MS);
    const bytes = this.largeBytes(request);
    const tenant = this.transaction.tenantOf(request);
    const traceparent = traceToSend()?.traceparent;
    const traced = traceparent === undefined ? request : { ...request, traceparent };
    return this.batcher.submit({ request: traced, requestID, idempotencyKey, keys, bytes, tenant }, timeLimitMs);
  }

  private largeBytes({ processID }: StartRequest): number {
    const defaults = this.transaction.defaultBytesOf(processID);
    return (currentLargeRequest()?.bytes ?? 0) + (defaults < SMALL_VALUES_BYTES ? 0 : defaults);
  }

  private async acceptBatch(
    batch: SubmittedStart[],
    waitsForLocks: boolean,
    retries = MAX_BATCH_RETRIES,
  ): Promise<SettledItem<StartReply>[]> {
    const beganAt = this.clock.now();
    try {
      const settled = await this.transaction.accept(batch, waitsForLocks);
      this.metrics.startBatchSize.observe(batch.length);
      return settled;
    } catch (error) {
      if (isNotNullViolation(error)) {
        // The deadline of a start passed before its row was written. The next attempt refuses that start, and may take as long as this one, so
        // the starts whose deadline passes within that time are late, too.
        const soon = this.clock.now() + Math.max(this.clock.now() - beganAt, CLOCK_TOLERANCE_MS);
        const isLate = ({ request }: SubmittedStart) => request.deadline < soon;
        if (batch.some(isLate)) return this.acceptLateLast(batch, isLate, waitsForLocks, retries);
        if (retries > 0) return this.acceptBatch(batch, waitsForLocks, retries - 1);
      }
      if (isDuplicate(error) && retries > 0) return this.acceptWithoutDuplicates(batch, waitsForLocks, retries - 1);
      if (batch.length === 1) throw isDuplicate(error) ? new StartWithoutInstance() : error;
      if (error instanceof BatchTooLarge) return this.acceptHalves(batch, waitsForLocks, retries);
      if (isDatabaseSilent(error)) throw error;
      return this.acceptSingly(batch, waitsForLocks);
    }
  }

  /**
   * Repeats a batch that failed because the deadline of one of its starts passed. The starts whose deadline is near
   * form a second batch: otherwise, while the database is slow, one deadline after another would fail an attempt for
   * all.
   */
  private async acceptLateLast(
    batch: SubmittedStart[],
    isLate: (start: SubmittedStart) => boolean,
    waitsForLocks: boolean,
    retries: number,
  ): Promise<SettledItem<StartReply>[]> {
    const { early = [], late = [] } = Object.groupBy(batch, (start) => (isLate(start) ? 'late' : 'early'));
    const settled = new Map<SubmittedStart, SettledItem<StartReply>>();
    for (const part of [early, late]) {
      if (part.length === 0) continue;
      const failed = (error: unknown) => part.map(() => ({ error }));
      const results = await this.acceptBatch(part, waitsForLocks, retries).catch(failed);
      part.forEach((start, index) => settled.set(start, results[index] ?? { error: new ApiError('INTERNAL') }));
    }
    return batch.map((start) => settled.get(start) ?? { error: new ApiError('INTERNAL') });
  }

  /**
   * Repeats a batch after another transaction has written a row of it first, such as an instance or an idempotency key. Requests whose instance
   * exists get the reply of that acceptance; the others are tried again, and now see such a key.
   */
  private async acceptWithoutDuplicates(
    batch: SubmittedStart[],
    waitsForLocks: boolean,
    retries: number,
  ): Promise<SettledItem<StartReply>[]> {
    const existing = await findAccepted(
      this.store,
      batch.map(({ request }) => request),
    );
    const remaining = batch.filter(({ request }) => !existing.has(request.instanceID));
    const settled = remaining.length === 0 ? [] : await this.acceptBatch(remaining, waitsForLocks, retries);
    const byID = new Map(remaining.map(({ request }, index) => [request.instanceID, settled[index]]));
    return batch.map(({ request: { instanceID } }) => {
      const reply = existing.get(instanceID);
      return reply ? { result: reply } : (byID.get(instanceID) ?? { error: new ApiError('INTERNAL') });
    });
  }

  private async acceptHalves(
    batch: SubmittedStart[],
    waitsForLocks: boolean,
    retries: number,
  ): Promise<SettledItem<StartReply>[]> {
    const middle = Math.ceil(batch.length / 2);
    const settled: SettledItem<StartReply>[] = [];
    for (const half of [batch.slice(0, middle), batch.slice(middle)]) {
      const failed = (error: unknown) => half.map(() => ({ error }));
      settled.push(...(await this.acceptBatch(half, waitsForLocks, retries).catch(failed)));
    }
    return settled;
  }

  /**
   * Accepts each start of a batch alone after any error that one of them may have caused, such as a conflict or a value
   * that the database does not take, so that this start does not fail the others.
   */
  private async acceptSingly(batch: SubmittedStart[], waitsForLocks: boolean): Promise<SettledItem<StartReply>[]> {
    const settled: SettledItem<StartReply>[] = [];
    let away: unknown;
    let faults = 0;
    for (const start of batch) {
      // While the database is away no further start is tried: each attempt would take a whole time limit, and the queued starts
      // would wait for it.
      if (away) settled.push({ error: away });
      else settled.push(...(await this.acceptBatch([start], waitsForLocks).catch((error: unknown) => [{ error }])));
      const last = settled.at(-1);
      const error = last && 'error' in last ? last.error : undefined;
      faults = error === undefined || error instanceof ApiError ? 0 : faults + 1;
      if (isDatabaseSilent(error) || faults === MAX_FAULTS_IN_A_ROW) away = error;
    }
    return settled;
  }
}

/** Rows of the start exist without its instance. This happens in a database cluster while its writer changes. */
class StartWithoutInstance extends ApiError {
  constructor() {
    super('UNAVAILABLE', 'Another attempt of this start is being stored; try again.');
  }
}

/** True for an UNAVAILABLE that the next start would probably get, too, because the database does not answer. */
function isDatabaseSilent(error: unknown): boolean {
  return isUnavailable(error) && !isContention(error) && !(error instanceof StartWithoutInstance);
}

function isUnavailable(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'UNAVAILABLE';
}
