import { ByteBudget, type Reservation } from '@batuta/async';
import { Injectable } from '@nestjs/common';
import { MAX_REPLY_BYTES } from '../reply-size';

/** Estimated memory of the instances that one claim opens; at the router, which parses the reply, they take as much again. */
export const MAX_CLAIM_WEIGHT = 16 * 1_048_576;
/** The same for the large inputs of all claims in progress at this replica. */
const MAX_TOTAL_WEIGHT = 64 * 1_048_576;

/** The memory of the large inputs that claims have opened and not sent yet, by environment. */
@Injectable()
export class ClaimBudget extends ByteBudget {
  constructor() {
    super({ totalBytes: MAX_TOTAL_WEIGHT, perTenantBytes: MAX_CLAIM_WEIGHT });
  }
}

/** The size of an instance: `bytes` of values and flow in a reply, `weight` = their estimated memory once parsed. */
export interface WorkSize {
  bytes: number;
  weight: number;
}

/** What one claim may open. The rest stays queued; the first instance always fits, or it would never run. */
export class ClaimShare {
  private bytes = 0;
  private weight = 0;
  private readonly reservations: Reservation[] = [];
  /** The weight of the instance that the budget refused while nothing else of this claim was open. */
  refusedWeight: number | undefined;
  /** An instance did not fit: the claim opens no more. */
  full = false;

  /** Without a budget only what one claim may open is bounded: the values of a start that is handed over are in memory already. */
  constructor(
    private readonly environmentID: string,
    private readonly budget?: ByteBudget,
  ) {}

  /** False when the instance does not fit. Small inputs are not counted in the budget: a claim bounds their number. */
  take({ bytes, weight }: WorkSize, { large }: { large: boolean }): boolean {
    this.full = !this.fits(bytes, weight) || (large && !this.reserve(weight));
    if (this.full) return false;
    this.bytes += bytes;
    this.weight += weight;
    return true;
  }

  release(): void {
    for (const reservation of this.reservations) reservation.release();
  }

  private fits(bytes: number, weight: number): boolean {
    if (this.bytes === 0) return true;
    return this.bytes + bytes <= MAX_REPLY_BYTES && this.weight + weight <= MAX_CLAIM_WEIGHT;
  }

  private reserve(weight: number): boolean {
    const reservation = this.budget?.tryReserve(this.environmentID, weight);
    if (reservation) this.reservations.push(reservation);
    else if (this.bytes === 0) this.refusedWeight = weight;
    return reservation !== undefined;
  }
}
