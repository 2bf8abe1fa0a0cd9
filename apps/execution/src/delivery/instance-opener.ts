import { ABILITY_SEALED_VALUES, type Abilities } from '@batuta/agent-protocol';
import { jsonWeight } from '@batuta/async';
import type { Store } from '@batuta/database';
import { RawJson } from '@batuta/json';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { canRun } from '../abilities/mixed-queues';
import { mayNeedSealing, withSealingAbility } from '../abilities/sealing-need';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { contentOf, FlowCache, type FlowContent } from '../flows/flow-cache';
import { bytesOfVault, readSealedVault, unsealVault, type SealedValue, type VaultReader } from '../flows/vault';
import { writeEnds } from '../instances/instance-end';
import type { InstanceRow } from '../instances/instance-row';
import { hasLargeInput, readSealedInput, type QueuedRow } from '../instances/instance.repository';
import { NO_VERSION, parseInput, unsealInput, type InstanceInput } from '../instances/sealed-input';
import { transition } from '../instances/transition';
import type { ClaimShare } from '../claims/claim-share';

/** A queued instance with everything that it needs to run. */
export interface RunnableInstance {
  row: InstanceRow;
  input: InstanceInput;
  /** Large values as unparsed JSON, in place of those in `input`; the router passes them on. */
  rawMatrix?: RawJson;
  content: FlowContent;
  /** The unsealed vault values that the flow reads, by key. */
  vault: Record<string, string>;
}

/** A queued instance whose input or vault values this replica cannot unseal or parse. */
export interface UnreadableInstance {
  instanceID: string;
  reason: string;
}

/** Instances that a claim does not take, so that they do not block the ones after them. All but the ended ones stay in the queue. */
export interface SkippedInstances {
  /** The instances that end here, because they can never run. */
  ended: InstanceRow[];
  /** The ids of those of `ended` that have no input, although no service deletes it before the end. */
  withoutInput: string[];
  unreadable: UnreadableInstance[];
  /**
   * Instances that the agent cannot run although their rows do not say so, because the previous release or an earlier
   * setting wrote the rows.
   */
  unfit: { instanceID: string; needs: string }[];
}

const PROCESS_DELETED = 'The process was deleted before the execution began.';
const INPUT_MISSING = 'The service has lost the values with which the execution was started; start it again.';
const ENVIRONMENT_OUT_OF_REACH =
  "The flow reads the vault, and before the execution began its environment left the reach of the process's owner: " +
  'it is neither the owner’s nor shared with the owner’s company.';

type OpenedInstance = Omit<RunnableInstance, 'vault'>;
type FlowsByVersion = ReadonlyMap<string, FlowContent>;

/**
 * Makes the queued instances that ClaimTransaction has locked runnable: unseals and parses their inputs and loads their flows and vault
 * values, one after the other, until the claim may take no further memory (ClaimShare).
 */
@Injectable()
export class InstanceOpener {
  constructor(
    private readonly keys: KeyRing,
    private readonly flows: FlowCache,
    @Inject(EXECUTION_CONFIG) private readonly config: Pick<ExecutionConfig, 'REQUIRE_SEALED_VALUES'>,
  ) {}

  /**
   * Opens at most `limit` instances; `seen` in the result is the number of handled rows. An instance ends here if its
   * flow was deleted, if its input is missing, or if the flow reads the vault and the environment has left the owner's reach since the start. An
   * instance that this replica cannot unseal, or that the agent cannot run, stays queued.
   */
  async open(
    tx: Store,
    rows: QueuedRow[],
    limit: number,
    share: ClaimShare,
    abilities: Abilities,
    skipped: SkippedInstances,
  ): Promise<{ runnable: RunnableInstance[]; seen: number }> {
    const versionIDs = rows.map((row) => row.version_id).filter((id) => id !== NO_VERSION);
    const flows = await this.flows.load(tx, versionIDs);
    const vaults = new Map<string, SealedValue[] | undefined>();
    const runnable: RunnableInstance[] = [];
    let seen = 0;
    for (const row of rows) {
      if (runnable.length === limit) break;
      const instance = await this.openOne(tx, row, flows, share, abilities, skipped);
      if (share.isFull) break;
      seen += 1;
      if (!instance || !this.mayAgentGet(abilities, instance, skipped)) continue;
      const vault = await this.openVault(tx, instance, vaults, skipped);
      if (!vault) continue;
      share.addVaultBytes(bytesOfVault(vault));
      runnable.push({ ...instance, vault });
    }
    return { runnable, seen };
  }

  private async openOne(
    tx: Store,
    row: QueuedRow,
    flows: FlowsByVersion,
    share: ClaimShare,
    abilities: Abilities,
    { ended, withoutInput, unreadable, unfit }: SkippedInstances,
  ): Promise<OpenedInstance | undefined> {
    const isFit = ({ needs }: FlowContent) => {
      if (row.needs !== null || canRun(abilities, needs)) return true;
      unfit.push({ instanceID: row.instance_id, needs });
      return false;
    };
    const isRead = row.sealed !== null && !hasLargeInput(row);
    const sealed = isRead ? row.sealed : await readSealedInput(tx, row.instance_id);
    if (!sealed) {
      endWithoutRun(tx, row, INPUT_MISSING, ended);
      withoutInput.push(row.instance_id);
      return undefined;
    }
    const text = openOrRecord(row, unreadable, () => unsealInput(this.keys, row.instance_id, sealed));
    if (text === undefined) return undefined;
    const published = row.version_id !== NO_VERSION;
    const content = published
      ? (flows.get(row.version_id) ?? (await this.flows.loadOne(tx, row.version_id)))
      : undefined;
    if (published && !content) {
      endWithoutRun(tx, row, PROCESS_DELETED, ended);
      return undefined;
    }
    if (content && !isFit(content)) return undefined;
    // A draft is part of the input and counts twice, as text and as the parsed flow.
    const weight = jsonWeight(text) + (content?.weight ?? jsonWeight(text));
    const size = { bytes: Buffer.byteLength(text) + (content?.bytes ?? 0), weight };
    if (!share.take(size, { large: hasLargeInput(row) })) return undefined;
    if (content && hasLargeInput(row)) return { row, input: { matrix: [] }, rawMatrix: new RawJson(text), content };
    const opened = openOrRecord(row, unreadable, () => {
      const input = parseInput(text);
      return { row, input, content: content ?? contentOf(draftOf(input)) };
    });
    return opened && (content !== undefined || isFit(opened.content)) ? opened : undefined;
  }

  /**
   * False for an agent without a key when the instance has secret values and the setting demands a key (interpretation
   * 58). A row that was written before the setting was switched on does not say so; the instance then counts as unfit.
   */
  private mayAgentGet(
    abilities: Abilities,
    { row, input, rawMatrix, content }: OpenedInstance,
    { unfit }: SkippedInstances,
  ): boolean {
    if (this.config.REQUIRE_SEALED_VALUES === 0 || abilities.covers([ABILITY_SEALED_VALUES])) return true;
    if (content.vaultKeys.length === 0 && !mayNeedSealing(rawMatrix ?? input.matrix)) return true;
    unfit.push({ instanceID: row.instance_id, needs: withSealingAbility(row.needs ?? content.needs) });
    return false;
  }

  /**
   * The vault values of an instance; undefined when the instance ends here because its environment is out of reach, and when the values cannot be
   * unsealed. Instances of one page with the same `readerOf` read the vault once (`known`).
   */
  private async openVault(
    tx: Store,
    { row, content }: OpenedInstance,
    known: Map<string, SealedValue[] | undefined>,
    { ended, unreadable }: SkippedInstances,
  ): Promise<Record<string, string> | undefined> {
    const reader = readerOf(row, content.vaultKeys);
    const key = JSON.stringify(reader);
    if (!known.has(key)) known.set(key, await readSealedVault(tx, reader));
    const values = known.get(key);
    if (!values) {
      endWithoutRun(tx, row, ENVIRONMENT_OUT_OF_REACH, ended);
      return undefined;
    }
    return openOrRecord(row, unreadable, () => unsealVault(this.keys, row.owner_account_id, values));
  }
}

/**
 * Calls `open`. If it throws, for example because this replica lacks the key, records the instance as unreadable and
 * returns undefined.
 */
function openOrRecord<T>(
  { instance_id: instanceID }: InstanceRow,
  unreadable: UnreadableInstance[],
  open: () => T,
): T | undefined {
  try {
    return open();
  } catch (error) {
    unreadable.push({ instanceID, reason: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** The flow of a debug run. Throws for an input without one. */
function draftOf({ draft }: InstanceInput): string {
  if (draft === undefined) throw new Error('The sealed input of a debug run has no flow');
  return draft;
}

/** Ends an instance that can never run, so that it does not block the queue, and adds it to `ended`. */
function endWithoutRun(tx: Store, row: InstanceRow, errorMessage: string, ended: InstanceRow[]): void {
  const change = transition(row, { type: 'cancel' });
  if ('refused' in change || change.outcome === undefined) return;
  writeEnds(tx, [{ row, change, outcome: change.outcome, errorMessage }]);
  ended.push(row);
}

function readerOf(row: InstanceRow, vaultKeys: string[]): VaultReader {
  const { process_id: processID, owner_account_id: ownerID, environment_id: environmentID } = row;
  return { processID, ownerID, environmentID, vaultKeys };
}
