import type { Work } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint, LOGGER, type Logger } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import type { PollResult } from '../claims/empty-queue-cache';
import { contentOf, FlowCache, type FlowContent } from '../flows/flow-cache';
import { readSealedVault, unsealVault, type VaultReader } from '../flows/vault';
import { writeEnd } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { lockOldestWithInput, type QueuedRow } from '../instances/instance.repository';
import { NO_VERSION, unsealInput, type InstanceInput } from '../instances/sealed-input';
import { statusAfter } from '../instances/status-sql';
import { transition } from '../instances/transition';
import { ExecutionMetrics } from '../metrics';
import { MAX_REPLY_BYTES } from '../reply-size';

/** A queued instance with everything that it needs to run. */
interface Runnable {
  row: InstanceRow;
  input: InstanceInput;
  content: FlowContent;
  vault: Record<string, string>;
  /** Size of the values and the flow. */
  bytes: number;
}

/** A queued instance that this replica cannot unseal. */
interface Unreadable {
  instanceID: string;
  reason: string;
}

interface QueueHead {
  runnable: Runnable[];
  unreadable: Unreadable[];
  /** The end of the queue was reached. */
  seenAll: boolean;
}

/** A claim skips at most PAGE_SIZE × MAX_PAGES instances that cannot be unsealed. */
const PAGE_SIZE = 20;
const MAX_PAGES = 50;

const VAULT_OUT_OF_REACH =
  "The flow reads the vault, and before the execution began its environment left the reach of the process's owner: " +
  'it is neither the owner’s nor shared with the owner’s company.';

const CLAIM = `UPDATE instance SET ${statusAfter('claim')}, fence = fence + 1, last_report = 0, session_id = ?,
        claimed_at = UTC_TIMESTAMP(3)
  WHERE instance_id IN (?)`;

/** Moves the oldest queued instances to a session, with everything that an agent needs to run them. */
@Injectable()
export class ClaimTransaction {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
    private readonly flows: FlowCache,
    private readonly metrics: ExecutionMetrics,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async claimOldest(environmentID: string, sessionID: string, limit: number): Promise<PollResult> {
    const result = await this.store.transaction(async (tx) => {
      const { runnable, seenAll, unreadable } = await this.readHead(tx, environmentID, limit);
      this.logUnreadable(environmentID, unreadable);
      const fitting = fittingOneReply(runnable);
      const drained = seenAll && fitting.length === runnable.length;
      if (fitting.length === 0) return { work: [], drained };
      tx.atCommit(CLAIM, [sessionID, fitting.map(({ row }) => row.instance_id)]);
      return { work: fitting.map(toWork), drained };
    });
    if (result.work.length === 0) return result;
    faultPoint('execution:after-claim');
    this.metrics.claimed.inc(result.work.length);
    return result;
  }

  /** The oldest `limit` runnable instances. Unreadable ones are skipped, so that they do not block the queue. */
  private async readHead(tx: Store, environmentID: string, limit: number): Promise<QueueHead> {
    const runnable: Runnable[] = [];
    const unreadable: Unreadable[] = [];
    let last: QueuedRow | undefined;
    for (let page = 0; page < MAX_PAGES && runnable.length < limit; page += 1) {
      const pageSize = page === 0 ? limit : PAGE_SIZE;
      const rows = await lockOldestWithInput(tx, environmentID, pageSize, last);
      runnable.push(...(await this.toRunnable(tx, rows, unreadable)));
      if (rows.length < pageSize) {
        return { runnable: runnable.slice(0, limit), seenAll: runnable.length <= limit, unreadable };
      }
      last = rows.at(-1);
    }
    return { runnable: runnable.slice(0, limit), seenAll: false, unreadable };
  }

  /**
   * An instance ends here if its flow was deleted, or if the flow reads the vault and the environment has left the owner's
   * reach since the start; one that this replica cannot unseal stays queued.
   */
  private async toRunnable(tx: Store, rows: QueuedRow[], unreadable: Unreadable[]): Promise<Runnable[]> {
    const versionIDs = rows.map((row) => row.version_id).filter((id) => id !== NO_VERSION);
    const versions = await this.flows.load(tx, versionIDs);
    const unsealed: Omit<Runnable, 'vault'>[] = [];
    for (const row of rows) {
      const { sealed } = row;
      const input = sealed && unseal(row, unreadable, () => unsealInput(this.keys, row.instance_id, sealed));
      if (!input) continue;
      const content = input.draft === undefined ? versions.get(row.version_id) : contentOf(input.draft);
      if (content) unsealed.push({ row, input, content, bytes: content.bytes + sealed.length });
      else await endUnrun(tx, row, 'The process was deleted before the execution began.');
    }
    return this.withVaults(tx, unsealed, unreadable);
  }

  private async withVaults(
    tx: Store,
    instances: Omit<Runnable, 'vault'>[],
    unreadable: Unreadable[],
  ): Promise<Runnable[]> {
    const sealed = await Promise.all(
      instances.map(({ row, content }) => readSealedVault(tx, readerOf(row, content.vaultKeys))),
    );
    const runnable: Runnable[] = [];
    for (const [index, instance] of instances.entries()) {
      const { row } = instance;
      const values = sealed[index];
      if (!values) {
        await endUnrun(tx, row, VAULT_OUT_OF_REACH);
        continue;
      }
      const vault = unseal(row, unreadable, () => unsealVault(this.keys, row.owner_account_id, values));
      if (vault) runnable.push({ ...instance, vault });
    }
    return runnable;
  }

  /** One line for all of them, because every claim meets them again. */
  private logUnreadable(environmentID: string, unreadable: Unreadable[]): void {
    const [first] = unreadable;
    if (!first) return;
    this.logger.error(
      { environmentID, instances: unreadable.length, firstInstanceID: first.instanceID, reason: first.reason },
      'instances stay queued because they cannot be unsealed',
    );
  }
}

/** Undefined, and recorded as unreadable, when the value was sealed under a key that this replica does not have. */
function unseal<T>({ instance_id: instanceID }: InstanceRow, unreadable: Unreadable[], open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    unreadable.push({ instanceID, reason: error instanceof Error ? error.message : String(error) });
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

/** As many of the oldest as fit into one reply, and at least one. */
function fittingOneReply(runnable: Runnable[]): Runnable[] {
  let total = 0;
  return runnable.filter(({ bytes }, index) => {
    total += bytes;
    return index === 0 || total <= MAX_REPLY_BYTES;
  });
}

/** An instance that can never run must not block the queue. */
async function endUnrun(tx: Store, row: InstanceRow, errorMessage: string): Promise<void> {
  const change = transition(row, { type: 'cancel' });
  if ('refused' in change || change.outcome === undefined) return;
  await writeEnd(tx, row, change, { outcome: change.outcome, errorMessage });
}

function readerOf(row: InstanceRow, vaultKeys: string[]): VaultReader {
  const { process_id: processID, owner_account_id: ownerID, environment_id: environmentID } = row;
  return { processID, ownerID, environmentID, vaultKeys };
}
