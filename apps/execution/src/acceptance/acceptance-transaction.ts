import { MatrixCache } from '@batuta/catalog';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { JsonThread } from '@batuta/json';
import { faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { ConnectedAgents } from '../abilities/connected-agents';
import { VersionNeeds } from '../abilities/version-needs';
import type { SettledItem } from '../batcher';
import type { LockedAccount } from '../credits/ledger';
import { FlowCache } from '../flows/flow-cache';
import { ExecutionMetrics } from '../execution.metrics';
import { findAccepted, writeAccepted, type AcceptedStart } from './acceptance.repository';
import { decideStart, type AcceptedAs, type StartFacts } from './decision';
import { readStartFacts } from './start-facts';
import { HandOverFactory, type HandOver } from './hand-over';
import { findKeyMatches, writeKeys, type KeyMatches, type StoredIdempotencyKey } from './idempotency';
import { readLargeTexts } from './large-texts';
import { QueueLimit } from './queue-limit';
import { StartCharging, type DecisionOrRefusal } from './start-charging';
import { matchDecisions } from './needs';
import { refuseVaultOutOfReach } from './vault-reach';

/** A start that waits for its batch, or is in it. */
export interface SubmittedStart {
  request: StartRequest;
  requestID: string;
  /** Undefined when the caller sent none. */
  idempotencyKey: StoredIdempotencyKey | undefined;
  /** The instance id and, if there is one, the hash of the idempotency key; two starts of one batch never have a key in common. */
  keys: string[];
  /** Bytes of the request, or 0 if it is small, plus those of the registered default values, or 0 if they are small. */
  bytes: number;
  /** The company that the start will probably charge, or its process (`tenantOf`). */
  tenant: string;
}

interface GatheredFacts extends KeyMatches {
  facts: StartFacts;
  locked: LockedAccount[];
  keys: StoredIdempotencyKey[];
}

interface DecidedStarts {
  accepted: AcceptedStart[];
  /** Refusals by instance id. */
  errors: Map<string, unknown>;
  /** Instance ids of starts whose company's credits another transaction has locked. */
  postponed: ReadonlySet<string>;
  /** Replies of starts that were accepted before, by instance id. */
  replays: Map<string, StartReply>;
}

/**
 * Accepts a batch of starts (contract 4.8): gather facts → decide → assign pending claims → write, in one transaction,
 * and hand over after its commit. Usually the database gets two messages: one reads facts, keys and credits, the other
 * writes and commits.
 */
@Injectable()
export class AcceptanceTransaction {
  private readonly matrices = new MatrixCache();

  constructor(
    private readonly store: Store,
    private readonly secretKeys: KeyRing,
    private readonly charging: StartCharging,
    private readonly handOvers: HandOverFactory,
    private readonly queues: QueueLimit,
    private readonly flows: FlowCache,
    private readonly needs: VersionNeeds,
    private readonly agents: ConnectedAgents,
    private readonly metrics: ExecutionMetrics,
    private readonly jsonThread: JsonThread,
  ) {}

  /** The bytes of the default values of a process as JSON, with their names; 0 while this replica does not have them in its cache. */
  defaultBytesOf(processID: string): number {
    return this.matrices.defaultBytesOf(processID);
  }

  /** The id of the company that the start will probably charge; the id of its process while the company is unknown. */
  tenantOf({ processID }: StartRequest): string {
    return this.charging.predictedCompany(processID) ?? processID;
  }

  /**
   * Settles each start of the batch, in order. Unless it `waitsForLocks`, it postpones starts of companies whose credits another transaction has
   * locked. Throws BatchTooLarge when the values of several starts take too much memory. Any other error fails the whole batch, for example when
   * one of its deadlines passed before the commit; after UNAVAILABLE the batch may have been stored all the same.
   */
  async accept(batch: SubmittedStart[], waitsForLocks: boolean): Promise<SettledItem<StartReply>[]> {
    const handOver = this.handOvers.create();
    const committing = this.store.transaction(async (tx) => {
      const gathered = await this.gather(tx, batch, waitsForLocks);
      const decided = await this.decide(tx, batch, gathered, waitsForLocks);
      await handOver.assign(tx, decided.accepted, gathered.facts.now);
      const statuses = this.write(tx, gathered, decided, handOver);
      return { accepted: decided.accepted, settled: settledInOrder(batch, decided, statuses) };
    });
    const { accepted, settled } = await committing.catch((error: unknown) => {
      handOver.cancel();
      throw error;
    });
    if (accepted.length > 0) faultPoint('execution:after-commit');
    this.metrics.acceptedStarts.inc(accepted.length);
    for (const { start } of accepted) {
      if (!handOver.sessions.has(start.request.instanceID)) this.queues.recordQueued(start.environment.environmentID);
    }
    this.metrics.claimedInstances.inc(handOver.complete(accepted));
    return settled;
  }

  private async gather(tx: Store, batch: SubmittedStart[], waitsForLocks: boolean): Promise<GatheredFacts> {
    const requests = batch.map(({ request }) => request);
    const keys = batch.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    const lock = () => this.charging.lockPredicted(tx, requests, waitsForLocks);
    // The statements run in the order in which they are begun here. A lock that may wait comes before all reads, which then see what changed
    // during the wait, such as a blocked owner or a start with the same idempotency key. A lock that does not wait (SKIP LOCKED) comes after the
    // facts, so that it is held for a shorter time.
    const lockedFirst = waitsForLocks ? lock() : undefined;
    const [facts, locked, { replays, expired }, accepted] = await Promise.all([
      readStartFacts(tx, requests, this.matrices),
      lockedFirst ?? lock(),
      findKeyMatches(tx, keys),
      // Looks for replies of earlier attempts, which may have been accepted after their caller stopped waiting.
      findAccepted(
        tx,
        requests.filter(({ resent }) => resent),
      ),
      this.agents.readPredicted(tx, requests),
    ]);
    return { facts, locked, keys, replays: new Map([...replays, ...accepted]), expired };
  }

  private async decide(
    tx: Store,
    batch: SubmittedStart[],
    gathered: GatheredFacts,
    waitsForLocks: boolean,
  ): Promise<DecidedStarts> {
    const { facts, locked, keys, replays } = gathered;
    const fresh = batch.filter(({ request }) => !replays.has(request.instanceID));
    const decided: DecisionOrRefusal[] = [];
    for (const submitted of fresh) decided.push(decideOne(await this.withParsedTexts(submitted, facts), facts));
    const decisions = await refuseVaultOutOfReach(tx, this.flows, decided);
    const matched = await matchDecisions(tx, this.needs, this.agents, decisions);
    const result = { ...(await this.charging.charge(tx, facts.now, matched, { locked, waitsForLocks })), replays };
    await replaceRefusalsOfAccepted(tx, fresh, keys, result);
    return result;
  }

  /** Parses the long JSON texts of a large start in a thread; returns a small start unchanged. */
  private async withParsedTexts(submitted: SubmittedStart, { processes }: StartFacts): Promise<SubmittedStart> {
    const { request, bytes } = submitted;
    const process = processes.get(request.processID);
    if (bytes === 0 || !process) return submitted;
    return { ...submitted, request: await readLargeTexts(request, process.matrix, this.jsonThread) };
  }

  /** Adds the writes to the commit; returns the statuses of the accepted starts by instance id. */
  private write(
    tx: Store,
    { facts, keys, expired }: GatheredFacts,
    { accepted }: DecidedStarts,
    { sessions }: HandOver,
  ): Map<string, AcceptedAs> {
    writeAccepted(tx, accepted, { now: facts.now, keys: this.secretKeys, sessions });
    const statuses = new Map(accepted.map(({ start, status }) => [start.request.instanceID, status]));
    writeKeys(tx, keys, statuses, expired);
    return statuses;
  }
}

function decideOne({ request, requestID }: SubmittedStart, facts: StartFacts): DecisionOrRefusal {
  try {
    return { request, requestID, start: decideStart(request, facts) };
  } catch (error) {
    return { request, requestID, error };
  }
}

/**
 * Replaces a refusal by the reply of an earlier acceptance of the same request, or of a start with the same idempotency
 * key. That acceptance may itself be the cause of the refusal, for example because it took the last credit.
 */
async function replaceRefusalsOfAccepted(
  tx: Store,
  starts: SubmittedStart[],
  keys: StoredIdempotencyKey[],
  { errors, replays }: DecidedStarts,
): Promise<void> {
  if (errors.size === 0) return;
  const suspect = starts.flatMap(({ request }) =>
    errors.has(request.instanceID) && (request.resent || request.idempotency) ? [request] : [],
  );
  if (suspect.length === 0) return;
  const suspectKeys = keys.filter(({ instanceID }) => errors.has(instanceID));
  const { replays: found } = await findKeyMatches(tx, suspectKeys, { waiting: true });
  for (const [instanceID, reply] of [...found, ...(await findAccepted(tx, suspect))]) {
    errors.delete(instanceID);
    replays.set(instanceID, reply);
  }
}

function settledInOrder(
  batch: SubmittedStart[],
  { replays, errors, postponed }: DecidedStarts,
  statuses: ReadonlyMap<string, AcceptedAs>,
): SettledItem<StartReply>[] {
  return batch.map(({ request: { instanceID } }) => {
    const replayed = replays.get(instanceID);
    if (replayed) return { result: replayed };
    if (postponed.has(instanceID)) return { postponed: true };
    const status = statuses.get(instanceID);
    return status ? { result: { instanceID, status } } : { error: errors.get(instanceID) };
  });
}
