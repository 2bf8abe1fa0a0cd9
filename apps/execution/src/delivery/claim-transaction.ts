import type { Abilities } from '@batuta/agent-protocol';
import { entryLimit } from '@batuta/async';
import { notifications, type InstanceWork } from '@batuta/contracts';
import { DatabaseClock, Store } from '@batuta/database';
import { Rpc } from '@batuta/messaging';
import { currentTenant, faultPoint, LOGGER, LogThrottle, type Logger } from '@batuta/observability';
import { isTracing, recordSpan } from '@batuta/tracing';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { PollResult } from '../claims/empty-queue-cache';
import { InstanceChangeNotifier } from '../instances/instance-change-notifier';
import { recordNeeds, type QueuedRow } from '../instances/instance.repository';
import { statusAfter } from '../instances/status-sql';
import { ExecutionMetrics } from '../execution.metrics';
import { ClaimBudget, ClaimShare } from '../claims/claim-share';
import type { ClaimRequest } from '../claims/pending-claim';
import {
  InstanceOpener,
  type SkippedInstances,
  type RunnableInstance,
  type UnreadableInstance,
} from './instance-opener';
import { QueuePages, type QueuePage } from './queue-pages';

interface QueueHead extends SkippedInstances {
  runnable: RunnableInstance[];
  /** True when the claim handled all instances of a page that is the end of the queue (`QueuePage.atEnd`). */
  readWhole: boolean;
  /** Whether other claims must be notified, because they may have skipped rows that this claim locked and leaves in the queue. */
  leftLocked: boolean;
}

type ClaimingSession = Pick<ClaimRequest, 'sessionID' | 'abilities'>;

/** Rows of each page after the first one, which has as many as the claim asks for. */
const PAGE_SIZE = 20;
/** Maximum pages of one claim: it bounds the instances that the claim skips, for example because they cannot be unsealed. */
const MAX_PAGES = 50;
/**
 * How long a claim waits for memory when its first instance does not fit; afterwards it returns nothing and the router
 * claims again.
 */
const MAX_MEMORY_WAIT_MS = 1_000;

const MAX_REMEMBERED_ENVIRONMENTS = 10_000;

const CLAIM_SQL = `UPDATE instance SET ${statusAfter('claim')}, fence = fence + 1, last_report = 0, session_id = ?,
        claimed_at = UTC_TIMESTAMP(3)
  WHERE instance_id IN (?)`;

/** Moves the oldest queued instances to a session, and returns everything that an agent needs to run them. */
@Injectable()
export class ClaimTransaction {
  /** One for the unreadable instances of each environment, which every claim meets again. */
  private readonly unreadableLogs = new LRUCache<string, LogThrottle>(entryLimit(MAX_REMEMBERED_ENVIRONMENTS));

  constructor(
    private readonly store: Store,
    private readonly pages: QueuePages,
    private readonly opener: InstanceOpener,
    private readonly budget: ClaimBudget,
    private readonly metrics: ExecutionMetrics,
    private readonly rpc: Rpc,
    private readonly changes: InstanceChangeNotifier,
    private readonly clock: DatabaseClock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Takes the oldest queued instances that the agent can run and that fit into memory and one reply; the others stay queued. If not even the
   * first one fits into memory, waits for memory, for MAX_MEMORY_WAIT_MS at most, and tries once more when there is enough.
   */
  async claimOldest(environmentID: string, claimer: ClaimingSession, limit: number): Promise<PollResult> {
    const { refusedWeight, ...result } = await this.claimFitting(environmentID, claimer, limit);
    if (refusedWeight === undefined || !(await this.untilMemoryIsFree(environmentID, refusedWeight))) return result;
    return this.claimFitting(environmentID, claimer, limit);
  }

  private async claimFitting(
    environmentID: string,
    claimer: ClaimingSession,
    limit: number,
  ): Promise<PollResult & { refusedWeight: number | undefined }> {
    let share = new ClaimShare(tenantOf(environmentID), this.budget);
    try {
      const { leftLocked, ended, withoutInput, ...result } = await this.store.transaction(async (tx) => {
        // A transaction that is repeated after a deadlock begins with an empty share and opens all instances again.
        share.release();
        share = new ClaimShare(tenantOf(environmentID), this.budget);
        const head = await this.readHead(tx, environmentID, claimer.abilities, limit, share);
        const { runnable, unreadable, unfit, ...rest } = head;
        this.logUnreadable(environmentID, unreadable);
        recordNeeds(tx, unfit);
        if (runnable.length > 0)
          tx.atCommit(CLAIM_SQL, [claimer.sessionID, runnable.map(({ row }) => row.instance_id)]);
        return { work: runnable.map(toWork), ...rest };
      });
      for (const row of ended) this.changes.notifyEnd(row);
      for (const instanceID of withoutInput)
        this.logger.error({ environmentID, instanceID }, 'an instance ended in the queue because its input is missing');
      if (leftLocked) this.rpc.notify(notifications.work, { environmentID });
      if (result.work.length > 0) faultPoint('execution:after-claim');
      this.metrics.claimedInstances.inc(result.work.length);
      if (isTracing()) recordQueueWaits(result.work, this.clock.now());
      return { ...result, refusedWeight: share.refusedWeight };
    } finally {
      const opened = share;
      // The memory is released in the next turn of the event loop, when the reply has been sent.
      setImmediate(() => opened.release());
    }
  }

  /** Waits for memory outside of a transaction, so that no row stays locked and no connection is held meanwhile. */
  private async untilMemoryIsFree(environmentID: string, weight: number): Promise<boolean> {
    const reservation = await this.budget.reserveWithin(tenantOf(environmentID), weight, MAX_MEMORY_WAIT_MS);
    reservation?.release();
    return reservation !== undefined;
  }

  /** The oldest instances that the agent can run, at most `limit`. Unreadable ones are skipped, so that they do not block the queue. */
  private async readHead(
    tx: Store,
    environmentID: string,
    abilities: Abilities,
    limit: number,
    share: ClaimShare,
  ): Promise<QueueHead> {
    const runnable: RunnableInstance[] = [];
    const skipped: SkippedInstances = { ended: [], withoutInput: [], unreadable: [], unfit: [] };
    let last: QueuedRow | undefined;
    const lockedMore = new Set<QueuePage['lockedMore']>();
    const head = (readWhole: boolean): QueueHead => {
      const unfit = lockedMore.has('unfit') || skipped.unfit.length > 0;
      // A claim that took nothing sends no notification about fitting rows, because it would wake itself again and again.
      const leftLocked = unfit || (lockedMore.has('fit') && runnable.length > 0);
      return { runnable, ...skipped, readWhole, leftLocked };
    };
    for (let page = 0; page < MAX_PAGES && runnable.length < limit && !share.isFull; page += 1) {
      const pageSize = page === 0 ? limit : PAGE_SIZE;
      const read = await this.pages.read(tx, environmentID, abilities, pageSize, last);
      const { rows } = read;
      const opened = await this.opener.open(tx, rows, limit - runnable.length, share, abilities, skipped);
      runnable.push(...opened.runnable);
      lockedMore.add(read.lockedMore);
      for (const { needs } of skipped.unfit) this.pages.addNeeds(environmentID, needs);
      const seenPage = opened.seen === rows.length;
      if (!seenPage) lockedMore.add('fit');
      if (read.atEnd && seenPage) return head(true);
      last = seenPage ? read.last : rows[opened.seen - 1];
    }
    return head(false);
  }

  /** Logs one line for all unreadable instances, at most once a minute for each environment. */
  private logUnreadable(environmentID: string, unreadable: UnreadableInstance[]): void {
    const [first] = unreadable;
    if (!first) return;
    const throttle = this.unreadableLogs.get(environmentID) ?? new LogThrottle();
    this.unreadableLogs.set(environmentID, throttle);
    if (throttle.add() === undefined) return;
    this.logger.error(
      { environmentID, instances: unreadable.length, firstInstanceID: first.instanceID, reason: first.reason },
      'instances stay queued because they cannot be unsealed',
    );
  }
}

/** Records a span for each traced instance, from its acceptance to its claim. Both times are of the database's clock. */
function recordQueueWaits(work: InstanceWork[], now: number): void {
  for (const { instanceID, acceptedAt, traceparent } of work) {
    if (acceptedAt === undefined || traceparent === undefined) continue;
    const attributes = { 'batuta.instance.id': instanceID };
    recordSpan({ name: 'queue wait', at: acceptedAt, attributes }, { at: now }, traceparent);
  }
}

function toWork({ row, input, rawMatrix, content, vault }: RunnableInstance): InstanceWork {
  const work: InstanceWork = {
    instanceID: row.instance_id,
    fence: row.fence + 1,
    processID: row.process_id,
    processName: row.process_name,
    version: String(row.version),
    userName: row.user_name,
    requestID: row.request_id,
    acceptedAt: row.accepted_at.getTime(),
    flow: content.flow,
    matrix: input.matrix,
    ...(row.traceparent !== null && { traceparent: row.traceparent }),
    ...(row.awaited === 1 && { awaited: true }),
    vault,
  };
  return rawMatrix ? Object.assign(work, { matrix: rawMatrix }) : work;
}

/**
 * The tenant whose share of the memory budget a claim uses: the company, or the environment when a router of the
 * previous release does not name the company.
 */
function tenantOf(environmentID: string): string {
  return currentTenant() ?? environmentID;
}
