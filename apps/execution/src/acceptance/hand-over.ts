import { jsonWeight } from '@batuta/async';
import type { InstanceWork } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { RawJson } from '@batuta/json';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { canRun } from '../abilities/mixed-queues';
import { ClaimShare } from '../claims/claim-share';
import type { PendingClaim } from '../claims/pending-claim';
import { PendingClaims } from '../claims/pending-claims';
import { QueueNotifier } from '../claims/queue-notifier';
import { FlowCache, type FlowContent } from '../flows/flow-cache';
import { bytesOfVault, readSealedVault, unsealVault } from '../flows/vault';
import { FIRST_FENCE, type AcceptedStart } from './acceptance.repository';
import { withoutDuplicates } from './start-facts';

/** A pending claim of an environment, checked out for this batch, with the work that it gets. */
interface CheckedOutClaim {
  environmentID: string;
  claim: PendingClaim;
  work: InstanceWork[];
  share: ClaimShare;
}

/** Values with more characters of JSON than this are sent as text; others are sent as objects, which the router parses quickly. */
const LARGE_VALUES_CHARACTERS = 16_384;

/** A start that may go straight to a router: a waiting claim of its environment is reserved for it (`PendingClaims.checkOut`). */
interface HandOverCandidate {
  accepted: AcceptedStart;
  checkedOut: CheckedOutClaim;
  versionID: string;
}

interface FlowAndVault {
  content: FlowContent;
  /** The unsealed vault values that the flow reads, by key. */
  vault: Record<string, string>;
}

@Injectable()
export class HandOverFactory {
  constructor(
    private readonly pending: PendingClaims,
    private readonly flows: FlowCache,
    private readonly keys: KeyRing,
    private readonly notifier: QueueNotifier,
  ) {}

  /** Creates the hand-over of one batch; no claim is checked out yet. */
  create(): HandOver {
    return new HandOver(this.pending, this.flows, this.keys, this.notifier);
  }
}

/**
 * The hand-over of one batch of accepted starts. `assign`, inside the accepting transaction, assigns starts to pending claims,
 * so that they are accepted and claimed in one commit; the others are queued. After the commit `complete` delivers the
 * assigned starts and sends notifications for the queued ones; after a rollback `cancel` checks the claims in again. If a
 * session ends before its delivery, the sweep of lost instances requeues its starts.
 */
export class HandOver {
  private readonly checkedOut = new Map<string, CheckedOutClaim[]>();
  /** The id of the session that gets a start, by instance id. */
  private readonly assigned = new Map<string, string>();

  constructor(
    private readonly pending: PendingClaims,
    private readonly flows: FlowCache,
    private readonly keys: KeyRing,
    private readonly notifier: QueueNotifier,
  ) {}

  /** The ids of the sessions that get a start, by instance id; a start that is queued is missing. */
  get sessions(): ReadonlyMap<string, string> {
    return this.assigned;
  }

  /**
   * Assigns starts, accepted at the time `now`, to pending claims. A retried transaction calls it again; the earlier assignment is
   * then discarded.
   */
  async assign(tx: Store, accepted: AcceptedStart[], now: Date): Promise<void> {
    this.cancel();
    const candidates = accepted.flatMap((start) => this.candidate(start));
    for (const { accepted: one, checkedOut, content, vault } of await this.withFlows(tx, candidates)) {
      if (checkedOut.work.length >= checkedOut.claim.remainingLimit || checkedOut.share.isFull) continue;
      const values = one.start.matrixJson;
      const size = { bytes: content.bytes + Buffer.byteLength(values), weight: content.weight + jsonWeight(values) };
      if (!checkedOut.share.take(size, { large: false })) continue;
      checkedOut.share.addVaultBytes(bytesOfVault(vault));
      checkedOut.work.push(toWork(one, content, vault, now));
      this.assigned.set(one.start.request.instanceID, checkedOut.claim.sessionID);
    }
  }

  /** Delivers the assigned starts; to be called after the commit. Returns how many starts were delivered to claims. */
  complete(accepted: AcceptedStart[]): number {
    for (const { environmentID, claim, work } of [...this.checkedOut.values()].flat()) {
      this.pending.deliver(environmentID, claim, work);
    }
    this.checkedOut.clear();
    const queued = accepted.filter(({ start }) => !this.assigned.has(start.request.instanceID));
    for (const environmentID of withoutDuplicates(queued.map(({ start }) => start.environment.environmentID))) {
      this.notifier.onQueued(environmentID);
    }
    return this.assigned.size;
  }

  /** Checks all claims in again, without work; to be called after a rollback. */
  cancel(): void {
    for (const { environmentID, claim } of [...this.checkedOut.values()].flat())
      this.pending.checkIn(environmentID, claim);
    this.checkedOut.clear();
    this.assigned.clear();
  }

  /**
   * The start with a pending claim of its environment, or an empty list when no such claim waits. A debug run, and a start that is accepted
   * as `queued`, is never handed over.
   */
  private candidate(accepted: AcceptedStart): HandOverCandidate[] {
    const { flow, environment, needs } = accepted.start;
    if (accepted.status !== 'started' || 'draft' in flow) return [];
    const checkedOut = this.checkOut(environment.environmentID, needs);
    return checkedOut ? [{ accepted, checkedOut, versionID: flow.versionID }] : [];
  }

  /** Checks out a claim whose agent can run the start, once for all such starts of a batch; those that do not fit into this claim are queued. */
  private checkOut(environmentID: string, needs: string): CheckedOutClaim | undefined {
    const claims = this.checkedOut.get(environmentID) ?? [];
    const existing = claims.find(({ claim: { abilities } }) => canRun(abilities, needs));
    if (existing) return existing;
    const claim = this.pending.checkOut(environmentID, (abilities) => canRun(abilities, needs));
    if (!claim) return undefined;
    const checkedOut: CheckedOutClaim = { environmentID, claim, work: [], share: new ClaimShare(environmentID) };
    this.checkedOut.set(environmentID, [...claims, checkedOut]);
    return checkedOut;
  }

  /**
   * Leaves out starts whose flow is large and not cached, whose vault values this replica cannot unseal, or whose environment is no longer
   * within the owner's reach: they are queued instead of failing the batch.
   */
  private async withFlows(tx: Store, candidates: HandOverCandidate[]): Promise<(HandOverCandidate & FlowAndVault)[]> {
    const versionIDs = candidates.map(({ versionID }) => versionID);
    const contents = await this.flows.load(tx, versionIDs);
    // Vault values are read once for each version and environment, because all such starts have the same owner and
    // refer to the same keys.
    const vaults = new Map<string, Promise<FlowAndVault['vault'] | undefined>>();
    const read = candidates.flatMap((candidate) => {
      const content = contents.get(candidate.versionID);
      if (!content) return [];
      const place = `${candidate.versionID} ${candidate.checkedOut.environmentID}`;
      const vault = vaults.get(place) ?? this.vaultOf(tx, candidate, content.vaultKeys);
      vaults.set(place, vault);
      return [{ candidate, content, vault }];
    });
    const withVaults = await Promise.all(read.map(async (each) => ({ ...each, vault: await each.vault })));
    return withVaults.flatMap(({ candidate, content, vault }) => (vault ? [{ ...candidate, content, vault }] : []));
  }

  private async vaultOf(
    tx: Store,
    { accepted, checkedOut: { environmentID } }: HandOverCandidate,
    vaultKeys: string[],
  ): Promise<FlowAndVault['vault'] | undefined> {
    const { processID, ownerAccountID: ownerID } = accepted.start.process;
    const values = await readSealedVault(tx, { processID, ownerID, environmentID, vaultKeys });
    try {
      return values && unsealVault(this.keys, ownerID, values);
    } catch {
      return undefined;
    }
  }
}

function toWork(
  { start: { request, process, matrix, matrixJson }, requestID }: AcceptedStart,
  { flow }: FlowContent,
  vault: Record<string, string>,
  now: Date,
): InstanceWork {
  const work: InstanceWork = {
    instanceID: request.instanceID,
    fence: FIRST_FENCE,
    processID: process.processID,
    processName: process.processName,
    version: String(process.version),
    userName: request.trigger.userName,
    requestID,
    acceptedAt: now.getTime(),
    flow,
    matrix,
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
    ...(request.awaited && { awaited: true }),
    vault,
  };
  // Large values are sent as JSON text, which the router passes on without parsing it.
  return matrixJson.length > LARGE_VALUES_CHARACTERS ? Object.assign(work, { matrix: new RawJson(matrixJson) }) : work;
}
