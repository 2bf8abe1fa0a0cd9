import { ByteBudget, type Reservation } from '@batuta/async';
import { Injectable } from '@nestjs/common';

/** Maximum bytes of values and flows in one reply; NATS carries messages of at most 8 MB. */
const MAX_REPLY_BYTES = 4 * 1_048_576;
/**
 * Maximum estimated memory, in bytes, of the instances that one claim opens; the router needs the same amount to parse
 * the reply. Also that of the large inputs of all claims of one company in progress at this replica.
 */
export const MAX_CLAIM_WEIGHT = 16 * 1_048_576;
/** Maximum estimated memory, in bytes, of the large inputs of all claims in progress at this replica. */
const MAX_TOTAL_WEIGHT = 64 * 1_048_576;

/** Bounds the memory of large inputs that claims have opened and not yet sent, per company and in total. */
@Injectable()
export class ClaimBudget extends ByteBudget {
  constructor() {
    super({ totalBytes: MAX_TOTAL_WEIGHT, perTenantBytes: MAX_CLAIM_WEIGHT });
  }
}

/**
 * The size of an instance, both in bytes: `bytes` is that of its values and flow in a reply, `weight` their estimated memory once parsed.
 */
export interface WorkSize {
  bytes: number;
  weight: number;
}

/**
 * The memory that the instances of one claim may take: the bytes of one reply, and its share of the ClaimBudget. The other instances
 * stay queued. The first instance always fits into the limits of the claim, or it would never run.
 */
export class ClaimShare {
  private bytes = 0;
  private weight = 0;
  private readonly reservations: Reservation[] = [];
  /** Weight of the claim's first instance when the budget refused it; the claim may wait until this much memory is free. */
  refusedWeight: number | undefined;
  /** True once an instance did not fit; the claim then opens no more. */
  isFull = false;

  /**
   * Without `budget` only the limits of one claim apply: the values of a start that is handed over directly are in
   * memory already.
   */
  constructor(
    private readonly tenant: string,
    private readonly budget?: ByteBudget,
  ) {}

  /**
   * Takes the memory of an instance; returns false when it does not fit. Small inputs are not counted in the budget,
   * because a claim already bounds their number.
   */
  take({ bytes, weight }: WorkSize, { large }: { large: boolean }): boolean {
    this.isFull = !this.fits(bytes, weight) || (large && !this.reserve(weight));
    if (this.isFull) return false;
    this.bytes += bytes;
    this.weight += weight;
    return true;
  }

  /**
   * Counts vault values of an instance that was taken, which are known only afterwards. They may exceed the limits, by the values of one vault;
   * the claim then takes no further instance.
   */
  addVaultBytes(bytes: number): void {
    this.bytes += bytes;
    this.weight += bytes;
  }

  /** Returns to the budget what the large inputs have reserved. */
  release(): void {
    for (const reservation of this.reservations) reservation.release();
  }

  private fits(bytes: number, weight: number): boolean {
    if (this.bytes === 0) return true;
    return this.bytes + bytes <= MAX_REPLY_BYTES && this.weight + weight <= MAX_CLAIM_WEIGHT;
  }

  private reserve(weight: number): boolean {
    const reservation = this.budget?.tryReserve(this.tenant, weight);
    if (reservation) this.reservations.push(reservation);
    else if (this.bytes === 0) this.refusedWeight = weight;
    return reservation !== undefined;
  }
}
