import type { Work } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { readShape, vaultKeysOf } from '@batuta/flow';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { InstanceRow } from '../instance/bodies';
import { writeEnd } from '../instance/ending';
import { lockOldestWithInput } from '../instance/instance.repository';
import { transition } from '../instance/transition';
import { ExecutionMetrics } from '../metrics';
import { inputContext } from '../start/acceptance.repository';

interface VersionContent {
  flow: unknown;
  bytes: number;
  vaultKeys: string[];
}

type Claimed = InstanceRow & { sealed: Buffer | null };

interface SizedWork {
  work: Work;
  bytes: number;
}

const CACHED_VERSIONS = 500;
/** Bytes of values and flows in one reply: a message of ours has 8 MB at the most. */
const MOST_BYTES = 4 * 1024 * 1024;
const sealedMatrix = z.array(z.object({ name: z.string(), type: z.string(), value: z.unknown() }));

/** Hands the oldest queued instances to a router's session, with all that an agent needs to run them. */
@Injectable()
export class ClaimService {
  /** Published versions never change. */
  private readonly versions = new LRUCache<string, VersionContent>({ max: CACHED_VERSIONS });

  constructor(
    @Inject(Store) private readonly store: Store,
    @Inject(KeyRing) private readonly keys: KeyRing,
    @Inject(ExecutionMetrics) private readonly metrics: ExecutionMetrics,
  ) {}

  async claim(environmentID: string, sessionID: string, limit: number): Promise<Work[]> {
    const works = await this.store.transaction(async (tx) => {
      const oldest = await lockOldestWithInput(tx, environmentID, limit);
      if (oldest.length === 0) return [];
      await this.loadVersions(tx, oldest);
      const orphans = oldest.filter((row) => !this.versions.has(row.version_id));
      for (const row of orphans) await dropOrphan(tx, row);
      const fitting = thatFit(await this.toWork(tx, oldest));
      if (fitting.length === 0) return [];
      tx.atCommit(
        `UPDATE instance SET status = 'unknown', fence = fence + 1, last_report = 0, session_id = ?,
                claimed_at = UTC_TIMESTAMP(3)
          WHERE instance_id IN (?)`,
        [sessionID, fitting.map(({ instanceID }) => instanceID)],
      );
      return fitting;
    });
    if (works.length === 0) return [];
    faultPoint('execution:after-claim');
    this.metrics.claimed.inc(works.length);
    return works;
  }

  private async toWork(tx: Store, rows: Claimed[]): Promise<SizedWork[]> {
    const known = rows.flatMap((row) => {
      const content = this.versions.get(row.version_id);
      return content ? [{ row, content }] : [];
    });
    return Promise.all(
      known.map(async ({ row, content }) => {
        const work: Work = {
          instanceID: row.instance_id,
          fence: row.fence + 1,
          processID: row.process_id,
          processName: row.process_name,
          version: String(row.version),
          userName: row.user_name,
          requestID: row.request_id,
          flow: content.flow,
          matrix: this.matrixOf(row),
          vault: await this.vault(tx, row.owner_account_id, content.vaultKeys),
        };
        return { work, bytes: content.bytes + (row.sealed?.length ?? 0) };
      }),
    );
  }

  private matrixOf({ instance_id, sealed }: Claimed): Work['matrix'] {
    if (!sealed) throw new Error(`Instance ${instance_id} is queued without its values`);
    const opened: unknown = JSON.parse(this.keys.unseal(sealed, inputContext(instance_id)));
    return sealedMatrix.parse(opened);
  }

  private async loadVersions(tx: Store, rows: InstanceRow[]): Promise<void> {
    const missing = [...new Set(rows.map((row) => row.version_id))].filter((id) => !this.versions.has(id));
    if (missing.length === 0) return;
    const versions = await tx.rows<{ version_id: string; flow: string }>(
      'SELECT version_id, flow FROM process_version WHERE version_id IN (?)',
      [missing],
    );
    for (const { version_id, flow: text } of versions) {
      const flow: unknown = JSON.parse(text);
      const read = readShape(flow);
      this.versions.set(version_id, {
        flow,
        bytes: Buffer.byteLength(text),
        vaultKeys: 'flow' in read ? vaultKeysOf(read.flow) : [],
      });
    }
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
function thatFit(sized: SizedWork[]): Work[] {
  let total = 0;
  return sized
    .filter(({ bytes }, index) => {
      total += bytes;
      return index === 0 || total <= MOST_BYTES;
    })
    .map(({ work }) => work);
}

/** A process deleted in the instant of the start took its versions along: what can never run must not hold up the queue. */
async function dropOrphan(tx: Store, row: InstanceRow): Promise<void> {
  const next = transition(row, { type: 'cancel' });
  if ('refused' in next || next.outcome === undefined) return;
  const errorMessage = 'The process was deleted before the execution began.';
  await writeEnd(tx, row, next, { outcome: next.outcome, errorMessage });
}
