import { Matrices } from '@batuta/catalog';
import { notifications, type StartReply, type StartRequest } from '@batuta/contracts';
import { isContention, isDuplicate, Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { currentRequestID, faultPoint } from '@batuta/observability';
import { KeyRing } from '@batuta/secrets';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EXECUTION_CONFIG, type ExecutionSettings } from '../config';
import { Ledger, lockAccounts, type LockedAccount } from '../credit/ledger';
import { Assignment } from '../delivery/assignment';
import { Flows } from '../delivery/flows';
import { Takers } from '../delivery/takers';
import { ExecutionMetrics } from '../metrics';
import { writeAccepted, type Accepted } from './acceptance.repository';
import { Batcher, type Settled } from '../batcher';
import { acceptedAs, decideLaunch, requireCredit, type BatchFacts, type Launch } from './decision';
import { distinct, readFacts } from './facts';
import { findReplays, startKey, writeKeys, type StartKey } from './idempotency';

const REMEMBERED_PROCESSES = 10_000;
const DUPLICATE_RETRIES = 5;

interface Submitted {
  request: StartRequest;
  requestID: string;
  startKey: StartKey | undefined;
  keys: string[];
}

type Decided = { request: StartRequest } & ({ launch: Launch } | { error: unknown });

/** Accepts starts: idempotency, values, environment, credit, instance and audit in one transaction (contract 4.8). */
@Injectable()
export class StartService {
  private readonly batcher: Batcher<Submitted, StartReply>;
  /** Company by process, as last seen. */
  private readonly companies = new LRUCache<string, string>({ max: REMEMBERED_PROCESSES });
  private readonly matrices = new Matrices();

  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
    private readonly keys: KeyRing,
    private readonly takers: Takers,
    private readonly flows: Flows,
    private readonly metrics: ExecutionMetrics,
    @Inject(EXECUTION_CONFIG) config: ExecutionSettings,
  ) {
    this.batcher = new Batcher(config.START_BATCH, (batch) => this.acceptAll(batch));
  }

  start(request: StartRequest): Promise<StartReply> {
    const key = startKey(request);
    const keys = key ? [request.instanceID, key.hash.toString('base64')] : [request.instanceID];
    return this.batcher.submit({ request, requestID: currentRequestID() ?? '', startKey: key, keys });
  }

  private async acceptAll(batch: Submitted[], retries = DUPLICATE_RETRIES): Promise<Settled<StartReply>[]> {
    try {
      const settled = await this.accept(batch);
      this.metrics.batchSize.observe(batch.length);
      return settled;
    } catch (error) {
      if (isDuplicate(error) && retries > 0) return this.acceptUnseen(batch, retries - 1);
      if (!isContention(error) || batch.length === 1) throw error;
      // Locks of one start must not fail its neighbours.
      const singly: Settled<StartReply>[] = [];
      for (const one of batch)
        singly.push(...(await this.acceptAll([one]).catch((fault: unknown) => [{ error: fault }])));
      return singly;
    }
  }

  /**
   * A request that was sent again finds its instance; the others are accepted as if it had not been there. Or a key was
   * taken by a twin elsewhere, which is seen now.
   */
  private async acceptUnseen(batch: Submitted[], retries: number): Promise<Settled<StartReply>[]> {
    const seen = await acceptedBefore(
      this.store,
      batch.map(({ request }) => request),
    );
    const unseen = batch.filter(({ request }) => !seen.has(request.instanceID));
    const accepted = unseen.length === 0 ? [] : await this.acceptAll(unseen, retries);
    const byID = new Map(unseen.map(({ request }, index) => [request.instanceID, accepted[index]]));
    return batch.map(({ request: { instanceID } }) => {
      const reply = seen.get(instanceID);
      return reply ? { result: reply } : (byID.get(instanceID) ?? { error: new ApiError('INTERNAL') });
    });
  }

  /** Two messages to the database: facts, keys and credits, then all that is written. */
  private async accept(batch: Submitted[]): Promise<Settled<StartReply>[]> {
    const requests = batch.map(({ request }) => request);
    const requestIDs = new Map(batch.map(({ request, requestID }) => [request.instanceID, requestID]));
    const keys = batch.flatMap((one) => one.startKey ?? []);
    const assignment = new Assignment(this.takers, this.flows, this.keys);
    const accepting = this.store.transaction(async (tx) => {
      const [facts, locked, { replays, expired }] = await Promise.all([
        readFacts(tx, requests, this.matrices),
        // Before the keys: who waits here for a twin sees its key afterwards.
        lockAccounts(tx, this.likelyCompanies(requests)),
        findReplays(tx, keys),
      ]);
      const fresh = requests.filter(({ instanceID }) => !replays.has(instanceID));
      const decided = fresh.map((request) => decide(request, facts));
      const { accepted: going, errors } = await this.charge(tx, facts.now, decided, locked);
      await this.reconsider(tx, fresh, keys, errors, replays);
      const sessions = await assignment.choose(tx, going, requestIDs);
      writeAccepted(tx, going, { now: facts.now, keys: this.keys, requestIDs, sessions });
      const statuses = new Map(going.map(({ launch, status }) => [launch.request.instanceID, status]));
      writeKeys(tx, keys, statuses, expired);
      const queued = going.filter(({ launch }) => !sessions.has(launch.request.instanceID));
      return { accepted: going.length, queued, settled: inOrder(batch, replays, statuses, errors) };
    });
    const { settled, accepted, queued } = await accepting.catch((error: unknown) => {
      assignment.takeBack();
      throw error;
    });
    if (accepted > 0) faultPoint('execution:after-commit');
    this.metrics.accepted.inc(accepted);
    this.metrics.claimed.inc(assignment.give());
    this.announce(queued);
    return settled;
  }

  /**
   * What refuses a start now may have been caused by its own first arrival, or by a twin that is being accepted: the
   * last credit, or the time it took.
   */
  private async reconsider(
    tx: Store,
    requests: StartRequest[],
    keys: StartKey[],
    errors: Map<string, unknown>,
    replays: Map<string, StartReply>,
  ): Promise<void> {
    if (errors.size === 0) return;
    const refused = requests.filter(({ instanceID }) => errors.has(instanceID));
    const doubtful = refused.filter(({ resent, idempotency }) => resent || idempotency);
    if (doubtful.length === 0) return;
    const theirs = keys.filter(({ instanceID }) => errors.has(instanceID));
    const { replays: twins } = await findReplays(tx, theirs, { waiting: true });
    for (const [instanceID, reply] of [...twins, ...(await acceptedBefore(tx, doubtful))]) {
      errors.delete(instanceID);
      replays.set(instanceID, reply);
    }
  }

  /** Takes a credit for each start that may go ahead; debug runs cost nothing (interpretation 40). */
  private async charge(
    tx: Store,
    now: Date,
    decided: Decided[],
    locked: LockedAccount[],
  ): Promise<{ accepted: Accepted[]; errors: Map<string, unknown> }> {
    const charged = decided.flatMap((one) =>
      'launch' in one && one.request.trigger.kind !== 'debug' ? [one.launch] : [],
    );
    for (const { facts } of charged) this.companies.set(facts.processID, facts.companyID);
    const monthly = new Map(charged.map(({ facts }) => [facts.companyID, facts.monthlyCredits]));
    const ledger = await Ledger.lock(tx, now, monthly, locked);
    const accepted: Accepted[] = [];
    const errors = new Map<string, unknown>();
    for (const one of decided) {
      const { instanceID } = one.request;
      try {
        if ('error' in one) throw one.error;
        accepted.push(chargeOne(ledger, one.launch));
      } catch (error) {
        errors.set(instanceID, error);
      }
    }
    ledger.save();
    return { accepted, errors };
  }

  /** Whose credits these starts will want, as far as earlier ones told; a wrong guess only locks in vain. */
  private likelyCompanies(requests: StartRequest[]): string[] {
    return distinct(requests.flatMap(({ processID }) => this.companies.get(processID) ?? []));
  }

  private announce(queued: Accepted[]): void {
    for (const environmentID of distinct(queued.map(({ launch }) => launch.environment.environmentID))) {
      this.rpc.notify(notifications.work, { environmentID });
    }
  }
}

/** Replies of those that are instances already, by instance id. */
async function acceptedBefore(store: Store, requests: StartRequest[]): Promise<Map<string, StartReply>> {
  if (requests.length === 0) return new Map();
  const rows = await store.rows<{ instance_id: string; accepted_as: 'started' | 'queued' }>(
    'SELECT instance_id, accepted_as FROM instance WHERE instance_id IN (?)',
    [requests.map(({ instanceID }) => instanceID)],
  );
  return new Map(rows.map((row) => [row.instance_id, { instanceID: row.instance_id, status: row.accepted_as }]));
}

function decide(request: StartRequest, facts: BatchFacts): Decided {
  try {
    return { request, launch: decideLaunch(request, facts) };
  } catch (error) {
    return { request, error };
  }
}

function chargeOne(ledger: Ledger, launch: Launch): Accepted {
  const { request, facts } = launch;
  const free = request.trigger.kind === 'debug';
  if (!free) requireCredit(ledger.balanceOf(facts.companyID));
  const status = acceptedAs(launch);
  if (!free) ledger.post({ companyID: facts.companyID, kind: 'start', amount: -1, instanceID: request.instanceID });
  return { launch, status };
}

function inOrder(
  batch: Submitted[],
  replays: Map<string, StartReply>,
  statuses: Map<string, 'started' | 'queued'>,
  errors: Map<string, unknown>,
): Settled<StartReply>[] {
  return batch.map(({ request: { instanceID } }) => {
    const replayed = replays.get(instanceID);
    if (replayed) return { result: replayed };
    const status = statuses.get(instanceID);
    return status ? { result: { instanceID, status } } : { error: errors.get(instanceID) };
  });
}
