import type { StartRequest } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Ledger, lockAccounts, type LockedAccount } from '../credits/ledger';
import type { AcceptedStart } from './acceptance.repository';
import { acceptedAs, requireCredit, type DecidedStart, type PlacedStart } from './decision';
import { distinct } from './facts';
import { QueueLimit } from './queue-limit';

/** A request with the decision on it. */
export type Decision<Start = DecidedStart> = { request: StartRequest; requestID: string } & (
  { start: Start } | { error: unknown }
);

export interface ChargeResult {
  accepted: AcceptedStart[];
  /** Refusals by instance id. */
  errors: Map<string, unknown>;
}

const MAX_PROCESSES = 10_000;

/** Charges the companies that own the started processes. Debug runs are free (interpretation 40). */
@Injectable()
export class StartCharging {
  /** Company by process, from earlier starts. */
  private readonly companies = new LRUCache<string, string>({ max: MAX_PROCESSES });

  constructor(private readonly queues: QueueLimit) {}

  /**
   * Locks the accounts that the requests will probably charge, before the facts are known: that saves a message to the
   * database. A stale prediction costs one needless lock; `charge` locks the accounts that it missed.
   */
  lockPredicted(tx: Store, requests: StartRequest[]): Promise<LockedAccount[]> {
    return lockAccounts(tx, distinct(requests.flatMap(({ processID }) => this.predictedCompany(processID) ?? [])));
  }

  /** The company that earlier starts of the process have charged. */
  predictedCompany(processID: string): string | undefined {
    return this.companies.get(processID);
  }

  /** Takes one credit for each start that every check allows. */
  async charge(
    tx: Store,
    now: Date,
    decisions: Decision<PlacedStart>[],
    locked: LockedAccount[],
  ): Promise<ChargeResult> {
    const charged = decisions.flatMap((decision) =>
      'start' in decision && !isFree(decision.request) ? [decision.start.process] : [],
    );
    for (const { processID, companyID } of charged) this.companies.set(processID, companyID);
    const monthlyCredits = new Map(charged.map((process) => [process.companyID, process.monthlyCredits]));
    const ledger = await Ledger.lock(tx, now, monthlyCredits, locked);
    const accepted: AcceptedStart[] = [];
    const errors = new Map<string, unknown>();
    const inBatch = new Map<string, number>();
    for (const decision of decisions) {
      try {
        if ('error' in decision) throw decision.error;
        const { start, requestID } = decision;
        const { environmentID } = start.environment;
        const before = inBatch.get(environmentID) ?? 0;
        accepted.push({ start, requestID, status: this.chargeOne(ledger, start, before) });
        inBatch.set(environmentID, before + 1);
      } catch (error) {
        errors.set(decision.request.instanceID, error);
      }
    }
    ledger.save();
    return { accepted, errors };
  }

  /** Throws the refusals that follow the decision: no credits, then no agent, then a full queue. */
  private chargeOne(ledger: Ledger, start: PlacedStart, inBatch: number): AcceptedStart['status'] {
    const { request, process, environment } = start;
    if (!isFree(request)) requireCredit(ledger.balanceOf(process.companyID));
    const status = acceptedAs(start);
    this.queues.require(environment, inBatch);
    if (!isFree(request)) {
      ledger.post({ companyID: process.companyID, kind: 'start', amount: -1, instanceID: request.instanceID });
    }
    return status;
  }
}

function isFree({ trigger }: StartRequest): boolean {
  return trigger.kind === 'debug';
}
