import type { Abilities } from '@batuta/agent-protocol';
import { jsonWeight } from '@batuta/async';
import type { Store } from '@batuta/database';
import { RawJson } from '@batuta/json';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { canRun } from '../abilities/mixed-queues';
import { contentOf, FlowCache, type FlowContent } from '../flows/flow-cache';
import { readSealedVault, unsealVault, type VaultReader } from '../flows/vault';
import { writeEnd } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { isLarge, readInput, type QueuedRow } from '../instances/instance.repository';
import { NO_VERSION, parseInput, unsealInput, type InstanceInput } from '../instances/sealed-input';
import { transition } from '../instances/transition';
import type { ClaimShare } from '../claims/claim-share';

/** A queued instance with everything that it needs to run. */
export interface Runnable {
  row: InstanceRow;
  input: InstanceInput;
  /** The values of a large input, in place of those in `input`: they go to the router without being parsed here. */
  rawMatrix?: RawJson;
  content: FlowContent;
  vault: Record<string, string>;
}

/** A queued instance that this replica cannot unseal. */
export interface Unreadable {
  instanceID: string;
  reason: string;
}

/** What a claim leaves in the queue, so that it does not block what comes after it. */
export interface PassedOver {
  unreadable: Unreadable[];
  /** Instances of the previous release, by which alone no row tells its needs, that the agent cannot run. */
  unfit: { instanceID: string; needs: string }[];
}

const PROCESS_DELETED = 'The process was deleted before the execution began.';
const VAULT_OUT_OF_REACH =
  "The flow reads the vault, and before the execution began its environment left the reach of the process's owner: " +
  'it is neither the owner’s nor shared with the owner’s company.';

type Opened = Omit<Runnable, 'vault'>;
type Flows = ReadonlyMap<string, FlowContent>;

/** Unseals and parses the inputs of queued instances, one after the other, until the share of their claim is full. */
@Injectable()
export class InstanceOpener {
  constructor(
    private readonly keys: KeyRing,
    private readonly flows: FlowCache,
  ) {}

  /**
   * Opens at most `limit` instances; `seen` = how many rows it has dealt with. An instance ends here if its flow was deleted, or
   * if the flow reads the vault and the environment has left the owner's reach since the start; one that this replica cannot
   * unseal stays queued, and so does one that the agent cannot run.
   */
  async open(
    tx: Store,
    rows: QueuedRow[],
    limit: number,
    share: ClaimShare,
    abilities: Abilities,
    passedOver: PassedOver,
  ): Promise<{ runnable: Runnable[]; seen: number }> {
    const versionIDs = rows.map((row) => row.version_id).filter((id) => id !== NO_VERSION);
    const flows = await this.flows.load(tx, versionIDs);
    const opened: Opened[] = [];
    let seen = 0;
    for (const row of rows) {
      if (opened.length === limit) break;
      const instance = await this.openOne(tx, row, flows, share, abilities, passedOver);
      if (share.full) break;
      seen += 1;
      if (instance) opened.push(instance);
    }
    return { runnable: await this.withVaults(tx, opened, passedOver.unreadable), seen };
  }

  private async openOne(
    tx: Store,
    row: QueuedRow,
    flows: Flows,
    share: ClaimShare,
    abilities: Abilities,
    { unreadable, unfit }: PassedOver,
  ): Promise<Opened | undefined> {
    const isFit = ({ needs }: FlowContent) => {
      if (row.needs !== null || canRun(abilities, needs)) return true;
      unfit.push({ instanceID: row.instance_id, needs });
      return false;
    };
    const sealed = isLarge(row) ? await readInput(tx, row.instance_id) : row.sealed;
    const text = sealed && openOrRecord(row, unreadable, () => unsealInput(this.keys, row.instance_id, sealed));
    if (!text) return undefined;
    const published = row.version_id !== NO_VERSION;
    const content = published
      ? (flows.get(row.version_id) ?? (await this.flows.loadOne(tx, row.version_id)))
      : undefined;
    if (published && !content) return endUnrun(tx, row, PROCESS_DELETED);
    if (content && !isFit(content)) return undefined;
    // A draft is part of the input, so that the weight of the text includes it twice: as text, and as the flow.
    const weight = jsonWeight(text) + (content?.weight ?? jsonWeight(text));
    const size = { bytes: Buffer.byteLength(text) + (content?.bytes ?? 0), weight };
    if (!share.take(size, { large: isLarge(row) })) return undefined;
    if (content && isLarge(row)) return { row, input: { matrix: [] }, rawMatrix: new RawJson(text), content };
    const input = openOrRecord(row, unreadable, () => parseInput(text));
    const flow = content ?? (input?.draft === undefined ? undefined : contentOf(input.draft));
    return input && flow && (content !== undefined || isFit(flow)) ? { row, input, content: flow } : undefined;
  }

  private async withVaults(tx: Store, instances: Opened[], unreadable: Unreadable[]): Promise<Runnable[]> {
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
      const vault = openOrRecord(row, unreadable, () => unsealVault(this.keys, row.owner_account_id, values));
      if (vault) runnable.push({ ...instance, vault });
    }
    return runnable;
  }
}

/** The result of `open`. Undefined, and recorded as unreadable, when it throws, such as for a key that this replica does not have. */
function openOrRecord<T>(
  { instance_id: instanceID }: InstanceRow,
  unreadable: Unreadable[],
  open: () => T,
): T | undefined {
  try {
    return open();
  } catch (error) {
    unreadable.push({ instanceID, reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** An instance that can never run must not block the queue. */
async function endUnrun(tx: Store, row: InstanceRow, errorMessage: string): Promise<undefined> {
  const change = transition(row, { type: 'cancel' });
  if ('refused' in change || change.outcome === undefined) return;
  await writeEnd(tx, row, change, { outcome: change.outcome, errorMessage });
}

function readerOf(row: InstanceRow, vaultKeys: string[]): VaultReader {
  const { process_id: processID, owner_account_id: ownerID, environment_id: environmentID } = row;
  return { processID, ownerID, environmentID, vaultKeys };
}
