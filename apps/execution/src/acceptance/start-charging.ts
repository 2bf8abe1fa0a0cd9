import { entryLimit } from '@batuta/async';
import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Ledger, lockAccounts, type LockedAccount } from '../credits/ledger';
import type { AcceptedStart } from './acceptance.repository';
import { acceptedAs, requireCredit, type DecidedStart, type MatchedStart } from './decision';
import { withoutDuplicates } from './start-facts';
import { QueueLimit } from './queue-limit';

interface IdentifiedRequest {
  request: StartRequest;
  requestID: string;
}

/** A request with its decision: a start, or the error with which it is refused. */
export type DecisionOrRefusal<Start = DecidedStart> = IdentifiedRequest & ({ start: Start } | { error: unknown });

export interface ChargeResult {
  accepted: AcceptedStart[];
  /** Refusals by instance id. */
  errors: Map<string, unknown>;
  /** Instance ids of starts whose company's credits another transaction has locked. */
  postponed: Set<string>;
}

const MAX_CACHED_PROCESSES = 10_000;

/** Charges the companies that own the started processes. Debug runs are free (interpretation 40). */
@Injectable()
export class StartCharging {
  /** The company that the last start of each process was to charge, also if it was then refused; by process id. */
  private readonly companies = new LRUCache<string, string>(entryLimit(MAX_CACHED_PROCESSES));

  constructor(private readonly queues: QueueLimit) {}

  /**
   * Locks the credit accounts that the requests will probably charge. The statement travels with those that read the
   * facts, which saves a round trip. A stale prediction costs one needless lock; `charge` locks the accounts that were
   * not predicted.
   */
  lockPredicted(tx: Store, requests: StartRequest[], waitsForLocks: boolean): Promise<LockedAccount[]> {
    const companyIDs = withoutDuplicates(requests.flatMap(({ processID }) => this.predictedCompany(processID) ?? []));
    return lockAccounts(tx, companyIDs, waitsForLocks);
  }

  /** The company that the last start of the process was to charge; undefined when this replica remembers no such start. */
  predictedCompany(processID: string): string | undefined {
    return this.companies.get(processID);
  }

  /**
   * Charges one credit for each start that passes every check. Unless it `waitsForLocks`, it postpones the starts whose
   * company's credits another transaction has locked.
   */
  async charge(
    tx: Store,
    now: Date,
    decisions: DecisionOrRefusal<MatchedStart>[],
    { locked, waitsForLocks }: { locked: LockedAccount[]; waitsForLocks: boolean },
  ): Promise<ChargeResult> {
    const charged = decisions.flatMap((decision) =>
      'start' in decision && !isFree(decision.request) ? [decision.start.process] : [],
    );
    for (const { processID, companyID } of charged) this.companies.set(processID, companyID);
    const monthlyCredits = new Map(charged.map((process) => [process.companyID, process.monthlyCredits]));
    const ledger = await Ledger.lock(tx, now, monthlyCredits, { locked, waitsForLocks });
    const accepted: AcceptedStart[] = [];
    const errors = new Map<string, unknown>();
    const postponed = new Set<string>();
    const acceptedPerEnvironment = new Map<string, number>();
    for (const decision of decisions) {
      try {
        if ('error' in decision) throw decision.error;
        const { start, requestID, request } = decision;
        if (!isFree(request) && !ledger.has(start.process.companyID)) {
          postponed.add(request.instanceID);
          continue;
        }
        const { environmentID } = start.environment;
        const acceptedBefore = acceptedPerEnvironment.get(environmentID) ?? 0;
        accepted.push({ start, requestID, status: this.chargeOne(ledger, start, acceptedBefore) });
        acceptedPerEnvironment.set(environmentID, acceptedBefore + 1);
      } catch (error) {
        errors.set(decision.request.instanceID, error);
      }
    }
    ledger.save();
    return { accepted, errors, postponed };
  }

  /**
   * Charges one start. Throws the refusals that follow the decision, in this order: no credits, no agent, a full queue.
   */
  private chargeOne(ledger: Ledger, start: MatchedStart, acceptedInBatch: number): AcceptedStart['status'] {
    const { request, process, environment } = start;
    if (!isFree(request)) requireCredit(ledger.balanceOf(process.companyID));
    const status = acceptedAs(start);
    this.queues.requireRoom(environment, acceptedInBatch);
    if (!isFree(request)) {
      ledger.post({ companyID: process.companyID, kind: 'start', amount: -1, instanceID: request.instanceID });
    }
    return status;
  }
}

function isFree({ trigger }: StartRequest): boolean {
  return trigger.kind === 'debug';
}
