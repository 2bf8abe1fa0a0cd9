import type { Work } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import type { InstanceRow } from '../instance/bodies';
import { writeEnd } from '../instance/ending';
import { lockOldestWithInput } from '../instance/instance.repository';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';
import { NO_VERSION, openInput, type Input } from '../start/acceptance.repository';
import { contentOf, Flows, type FlowContent } from './flows';

/** An instance that was claimed, with all that it runs on. */
interface Claimed {
  row: InstanceRow;
  input: Input;
  content: FlowContent;
  /** Of values and flow. */
  bytes: number;
}

/** Bytes of values and flows in one reply: a message of ours has 8 MB at the most. */
const MOST_BYTES = 4 * 1024 * 1024;

/** Hands the oldest queued instances to a router's session, with all that an agent needs to run them. */
@Injectable()
export class ClaimService {
  constructor(
    @Inject(Store) private readonly store: Store,
    @Inject(KeyRing) private readonly keys: KeyRing,
    @Inject(Flows) private readonly flows: Flows,
    @Inject(ExecutionMetrics) private readonly metrics: ExecutionMetrics,
  ) {}

  async claim(environmentID: string, sessionID: string, limit: number): Promise<Work[]> {
    const works = await this.store.transaction(async (tx) => {
      const fitting = thatFit(await this.oldest(tx, environmentID, limit));
      if (fitting.length === 0) return [];
      tx.atCommit(
        `UPDATE instance SET status = 'unknown', fence = fence + 1, last_report = 0, session_id = ?,
                claimed_at = UTC_TIMESTAMP(3)
          WHERE instance_id IN (?)`,
        [sessionID, fitting.map(({ row }) => row.instance_id)],
      );
      return Promise.all(fitting.map((one) => this.toWork(tx, one)));
    });
    if (works.length === 0) return [];
    faultPoint('execution:after-claim');
    this.metrics.claimed.inc(works.length);
    return works;
  }

  /** Those whose flow still exists; the others end here. */
  private async oldest(tx: Store, environmentID: string, limit: number): Promise<Claimed[]> {
    const rows = await lockOldestWithInput(tx, environmentID, limit);
    const versionIDs = rows.map((row) => row.version_id).filter((id) => id !== NO_VERSION);
    const versions = await this.flows.load(tx, versionIDs);
    const claimed: Claimed[] = [];
    for (const row of rows) {
      if (!row.sealed) throw new Error(`Instance ${row.instance_id} is queued without its values`);
      const input = openInput(this.keys, row.instance_id, row.sealed);
      const content = input.draft === undefined ? versions.get(row.version_id) : contentOf(input.draft);
      if (content) claimed.push({ row, input, content, bytes: content.bytes + row.sealed.length });
      else await dropOrphan(tx, row);
    }
    return claimed;
  }

  private async toWork(tx: Store, { row, input, content }: Claimed): Promise<Work> {
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
      vault: await this.vault(tx, row.owner_account_id, content.vaultKeys),
    };
  }

  /** The owner's secrets that the flow refers to; one that is not in the vault is left out, and its step says so. */
  private async vault(tx: Store, ownerID: string, vaultKeys: string[]): Promise<Record<string, string>> {
    if (vaultKeys.length === 0) return {};
    const rows = await tx.rows<{ vault_key: string; sealed: Buffer }>(
      'SELECT vault_key, sealed FROM vault_secret WHERE account_id = ? AND vault_key IN (?)',
      [ownerID, vaultKeys],
    );
    return Object.fromEntries(
      rows.map((row) => [row.vault_key, this.keys.unseal(row.sealed, `vault:${ownerID}:${row.vault_key}`)]),
    );
  }
}

/** As many of the oldest as one reply can carry, and at least one. */
function thatFit(claimed: Claimed[]): Claimed[] {
  let total = 0;
  return claimed.filter(({ bytes }, index) => {
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
