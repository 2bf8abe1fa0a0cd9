import type { Work } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Injectable, Logger } from '@nestjs/common';
import type { InstanceRow } from '../instance/bodies';
import { writeEnd } from '../instance/ending';
import { lockOldestWithInput, type QueuedRow } from '../instance/instance.repository';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';
import { NO_VERSION, openInput, type Input } from '../start/acceptance.repository';
import { MOST_BYTES } from './assignment';
import { contentOf, Flows, type FlowContent } from './flows';
import { Takers, type Claim, type Found } from './takers';
import { openVault, sealedVault } from './vault';

/** An instance that can be claimed, with all that it runs on. */
interface Runnable {
  row: InstanceRow;
  input: Input;
  content: FlowContent;
  vault: Record<string, string>;
  /** Of values and flow. */
  bytes: number;
}

/** An instance that cannot be opened here. */
interface Shut {
  instanceID: string;
  why: string;
}

/** How far a claim looks behind instances that cannot be opened here: a thousand of them. */
const PAGE = 20;
const MOST_PAGES = 50;

/** Hands the oldest queued instances to a router's session, with all that an agent needs to run them. */
@Injectable()
export class ClaimService {
  private readonly logger = new Logger('claims');

  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    private readonly flows: Flows,
    private readonly takers: Takers,
    private readonly metrics: ExecutionMetrics,
  ) {}

  /** Up to `limit` of the oldest; of an empty queue what comes within so many milliseconds, if anything does. */
  async claim(environmentID: string, { sessionID, limit, ahead }: Claim, waitMilliseconds: number): Promise<Work[]> {
    const until = performance.now() + waitMilliseconds;
    for (let room = limit; !this.takers.isClosed;) {
      const left = until - performance.now();
      if (left > 0 && this.takers.isEmpty(environmentID)) {
        return this.takers.wait(environmentID, { sessionID, limit: room, ahead }, left);
      }
      const work = await this.look(environmentID, sessionID, room);
      room -= work.length;
      const enough = work.length > 0 && (!ahead || room === 0);
      // What is there and cannot be opened here would be looked at without end.
      if (enough || performance.now() >= until || !this.takers.isEmpty(environmentID)) return work;
      if (work.length > 0) ahead?.(work);
    }
    return [];
  }

  /**
   * Something was queued, here or elsewhere: for the claims that wait here, until the queue is known to be empty. Those of
   * the session `from`, which gave it back, end: it would give it back again.
   */
  async hinted(environmentID: string, from?: string): Promise<void> {
    this.takers.hinted(environmentID);
    if (from !== undefined) this.takers.dismiss(environmentID, from);
    for (let taker = this.takers.take(environmentID); taker; taker = this.takers.take(environmentID)) {
      const { sessionID, limit } = taker;
      const work = await this.look(environmentID, sessionID, limit).catch(() => undefined);
      if (!work) return taker.end();
      this.takers.give(environmentID, taker, work);
      if (work.length === 0 || this.takers.isEmpty(environmentID)) return;
    }
  }

  private look(environmentID: string, sessionID: string, limit: number): Promise<Work[]> {
    return this.takers.look(environmentID, () => this.claimQueued(environmentID, sessionID, limit));
  }

  private async claimQueued(environmentID: string, sessionID: string, limit: number): Promise<Found> {
    const found = await this.store.transaction(async (tx) => {
      const { runnable, seenAll, shut } = await this.oldestRunnable(tx, environmentID, limit);
      this.tell(environmentID, shut);
      const fitting = thatFit(runnable);
      const drained = seenAll && fitting.length === runnable.length;
      if (fitting.length === 0) return { work: [], drained };
      tx.atCommit(
        `UPDATE instance SET status = 'unknown', fence = fence + 1, last_report = 0, session_id = ?,
                claimed_at = UTC_TIMESTAMP(3)
          WHERE instance_id IN (?)`,
        [sessionID, fitting.map(({ row }) => row.instance_id)],
      );
      return { work: fitting.map(toWork), drained };
    });
    if (found.work.length === 0) return found;
    faultPoint('execution:after-claim');
    this.metrics.claimed.inc(found.work.length);
    return found;
  }

  /** What cannot be opened here is passed over: as many as a claim wants, if there are so many behind it. */
  private async oldestRunnable(
    tx: Store,
    environmentID: string,
    limit: number,
  ): Promise<{ runnable: Runnable[]; seenAll: boolean; shut: Shut[] }> {
    const runnable: Runnable[] = [];
    const shut: Shut[] = [];
    let last: QueuedRow | undefined;
    for (let page = 0; page < MOST_PAGES && runnable.length < limit; page += 1) {
      const wanted = page === 0 ? limit : PAGE;
      const rows = await lockOldestWithInput(tx, environmentID, wanted, last);
      runnable.push(...(await this.runnable(tx, rows, shut)));
      if (rows.length < wanted) return { runnable: runnable.slice(0, limit), seenAll: runnable.length <= limit, shut };
      last = rows.at(-1);
    }
    return { runnable: runnable.slice(0, limit), seenAll: false, shut };
  }

  /** Those whose flow still exists, the others end here; and that this replica can open, the others stay queued. */
  private async runnable(tx: Store, rows: QueuedRow[], shut: Shut[]): Promise<Runnable[]> {
    const versionIDs = rows.map((row) => row.version_id).filter((id) => id !== NO_VERSION);
    const versions = await this.flows.load(tx, versionIDs);
    const open: Omit<Runnable, 'vault'>[] = [];
    for (const row of rows) {
      const { sealed } = row;
      const input = sealed && opened(row, shut, () => openInput(this.keys, row.instance_id, sealed));
      if (!input) continue;
      const content = input.draft === undefined ? versions.get(row.version_id) : contentOf(input.draft);
      if (content) open.push({ row, input, content, bytes: content.bytes + sealed.length });
      else await dropOrphan(tx, row);
    }
    return this.withVaults(tx, open, shut);
  }

  private async withVaults(tx: Store, open: Omit<Runnable, 'vault'>[], shut: Shut[]): Promise<Runnable[]> {
    const sealed = await Promise.all(
      open.map(({ row, content }) => sealedVault(tx, row.owner_account_id, content.vaultKeys)),
    );
    return open.flatMap((one, index) => {
      const vault = opened(one.row, shut, () => openVault(this.keys, one.row.owner_account_id, sealed[index] ?? []));
      return vault ? [{ ...one, vault }] : [];
    });
  }

  /** In one line, however many they are: every claim comes by them again. */
  private tell(environmentID: string, shut: Shut[]): void {
    const [first] = shut;
    if (!first) return;
    const { instanceID, why } = first;
    this.logger.error(
      `${shut.length} instances of environment ${environmentID} stay queued, since they cannot be opened; ${instanceID}: ${why}`,
    );
  }
}

/** Undefined, and noted, for what was sealed under a key that is not there. */
function opened<T>({ instance_id: instanceID }: InstanceRow, shut: Shut[], open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    shut.push({ instanceID, why: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

function toWork({ row, input, content, vault }: Runnable): Work {
  return {
    instanceID: row.instance_id,
    fence: row.fence + 1,
    processID: row.process_id,
    processName: row.process_name,
    version: String(row.version),
    userName: row.user_name,
    requestID: row.request_id,
    flow: content.flow,
    matrix: input.matrix,
    ...(row.awaited === 1 && { awaited: true }),
    vault,
  };
}

/** As many of the oldest as one reply can carry, and at least one. */
function thatFit(runnable: Runnable[]): Runnable[] {
  let total = 0;
  return runnable.filter(({ bytes }, index) => {
    total += bytes;
    return index === 0 || total <= MOST_BYTES;
  });
}

/** A process deleted in the instant of the start took its versions along: what can never run must not hold up the queue. */
async function dropOrphan(tx: Store, row: InstanceRow): Promise<void> {
  const next = transition(row, { type: 'cancel' });
  if ('refused' in next || next.outcome === undefined) return;
  const errorMessage = 'The process was deleted before the execution began.';
  await writeEnd(tx, row, next, { outcome: next.outcome, errorMessage });
}
