import { MatrixCache } from '@batuta/catalog';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { JsonThread } from '@batuta/json';
import { faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { ConnectedAgents } from '../abilities/connected-agents';
import { VersionNeeds } from '../abilities/version-needs';
import type { Settled } from '../batcher';
import type { LockedAccount } from '../credits/ledger';
import { FlowCache } from '../flows/flow-cache';
import { ExecutionMetrics } from '../metrics';
import { findAccepted, writeAccepted, type AcceptedStart } from './acceptance.repository';
import { decideStart, type AcceptedAs, type StartFacts } from './decision';
import { readStartFacts } from './facts';
import { HandOverFactory, type HandOver } from './hand-over';
import { findReplays, writeKeys, type KeyMatches, type IdempotencyKey } from './idempotency';
import { readLargeTexts } from './large-texts';
import { QueueLimit } from './queue-limit';
import { StartCharging, type Decision } from './start-charging';
import { withNeeds } from './needs';
import { refuseVaultElsewhere } from './vault-reach';

export interface SubmittedStart {
  request: StartRequest;
  requestID: string;
  idempotencyKey: IdempotencyKey | undefined;
  /** No two starts of a batch share one. */
  keys: string[];
  /** Size of its values, sent and registered, if they are large; 0 for small ones. */
  bytes: number;
  tenant: string;
}

interface Gathered extends KeyMatches {
  facts: StartFacts;
  locked: LockedAccount[];
  keys: IdempotencyKey[];
}

interface Decided {
  accepted: AcceptedStart[];
  /** Refusals by instance id. */
  errors: Map<string, unknown>;
  /** Replies of starts that were accepted before, by instance id. */
  replays: Map<string, StartReply>;
}

/**
 * Accepts a batch of starts (contract 4.8): gather facts → decide → assign pending claims → write, in one transaction, and hand
 * over after its commit. The database gets two messages: one reads facts, keys and credits, the other writes and commits.
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

  /** Approximate size of the registered values of a process; 0 while it is unknown. */
  registeredBytes(processID: string): number {
    return this.matrices.charactersOf(processID);
  }

  /** The company that the start will probably charge; its process while that is not known. */
  tenantOf({ processID }: StartRequest): string {
    return this.charging.predictedCompany(processID) ?? processID;
  }

  /** Settles each start of the batch, in order. Throws BatchTooLarge when the values of several starts take too much memory. */
  async accept(batch: SubmittedStart[]): Promise<Settled<StartReply>[]> {
    const handOver = this.handOvers.create();
    const committing = this.store.transaction(async (tx) => {
      const gathered = await this.gather(tx, batch);
      const decided = await this.decide(tx, batch, gathered);
      await handOver.assign(tx, decided.accepted);
      const statuses = this.write(tx, gathered, decided, handOver);
      return { accepted: decided.accepted, settled: inOrder(batch, decided, statuses) };
    });
    const { accepted, settled } = await committing.catch((error: unknown) => {
      handOver.cancel();
      throw error;
    });
    if (accepted.length > 0) faultPoint('execution:after-commit');
    this.metrics.accepted.inc(accepted.length);
    for (const { start } of accepted) {
      if (!handOver.sessions.has(start.request.instanceID)) this.queues.added(start.environment.environmentID);
    }
    this.metrics.claimed.inc(handOver.complete(accepted));
    return settled;
  }

  private async gather(tx: Store, batch: SubmittedStart[]): Promise<Gathered> {
    const requests = batch.map(({ request }) => request);
    const keys = batch.flatMap(({ idempotencyKey }) => idempotencyKey ?? []);
    const [facts, locked, { replays, expired }, accepted] = await Promise.all([
      readStartFacts(tx, requests, this.matrices),
      // Before the keys: if this lock waits for a start with the same key, the read of the keys then sees that key.
      this.charging.lockPredicted(tx, requests),
      findReplays(tx, keys),
      // An earlier attempt may have been accepted after its caller had stopped waiting.
      findAccepted(
        tx,
        requests.filter(({ resent }) => resent),
      ),
      this.agents.readPredicted(tx, requests),
    ]);
    return { facts, locked, keys, replays: new Map([...replays, ...accepted]), expired };
  }

  private async decide(tx: Store, batch: SubmittedStart[], gathered: Gathered): Promise<Decided> {
    const { facts, locked, keys, replays } = gathered;
    const fresh = batch.filter(({ request }) => !replays.has(request.instanceID));
    const decided: Decision[] = [];
    for (const submitted of fresh) decided.push(decideOne(await this.withReadTexts(submitted, facts), facts));
    const decisions = await refuseVaultElsewhere(tx, this.flows, decided);
    const placed = await withNeeds(tx, this.needs, this.agents, decisions);
    const { accepted, errors } = await this.charging.charge(tx, facts.now, placed, locked);
    const result = { accepted, errors, replays };
    await replaceRefusalsOfAccepted(tx, fresh, keys, result);
    return result;
  }

  /** Reads the long texts of a large start in a thread; returns a small start unchanged. */
  private async withReadTexts(submitted: SubmittedStart, { processes }: StartFacts): Promise<SubmittedStart> {
    const { request, bytes } = submitted;
    const process = processes.get(request.processID);
    if (bytes === 0 || !process) return submitted;
    return { ...submitted, request: await readLargeTexts(request, process.matrix, this.jsonThread) };
  }

  /** Writes with the commit; returns the statuses of the accepted starts by instance id. */
  private write(
    tx: Store,
    { facts, keys, expired }: Gathered,
    { accepted }: Decided,
    { sessions }: HandOver,
  ): Map<string, AcceptedAs> {
    writeAccepted(tx, accepted, { now: facts.now, keys: this.secretKeys, sessions });
    const statuses = new Map(accepted.map(({ start, status }) => [start.request.instanceID, status]));
    writeKeys(tx, keys, statuses, expired);
    return statuses;
  }
}

function decideOne({ request, requestID }: SubmittedStart, facts: StartFacts): Decision {
  try {
    return { request, requestID, start: decideStart(request, facts) };
  } catch (error) {
    return { request, requestID, error };
  }
}

/**
 * A refusal may be the consequence of an earlier acceptance: of the same request, or of a start with the same idempotency key
 * in another transaction. It took the last credit, say, or the deadline passed. Such refusals become the earlier replies.
 */
async function replaceRefusalsOfAccepted(
  tx: Store,
  starts: SubmittedStart[],
  keys: IdempotencyKey[],
  { errors, replays }: Decided,
): Promise<void> {
  if (errors.size === 0) return;
  const suspect = starts.flatMap(({ request }) =>
    errors.has(request.instanceID) && (request.resent || request.idempotency) ? [request] : [],
  );
  if (suspect.length === 0) return;
  const suspectKeys = keys.filter(({ instanceID }) => errors.has(instanceID));
  const { replays: found } = await findReplays(tx, suspectKeys, { waiting: true });
  for (const [instanceID, reply] of [...found, ...(await findAccepted(tx, suspect))]) {
    errors.delete(instanceID);
    replays.set(instanceID, reply);
  }
}

function inOrder(
  batch: SubmittedStart[],
  { replays, errors }: Decided,
  statuses: ReadonlyMap<string, AcceptedAs>,
): Settled<StartReply>[] {
  return batch.map(({ request: { instanceID } }) => {
    const replayed = replays.get(instanceID);
    if (replayed) return { result: replayed };
    const status = statuses.get(instanceID);
    return status ? { result: { instanceID, status } } : { error: errors.get(instanceID) };
  });
}
