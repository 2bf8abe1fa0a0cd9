import { ByteBudget } from '@batuta/async';
import { ApiError } from '@batuta/errors';

/**
 * How many parts a replica writes at the same time (the budget counts parts, not bytes). Each write holds one of the few database connections,
 * and first parts of one company wait for the same lock anyway.
 */
const WRITE_LIMITS = { totalBytes: 3, perTenantBytes: 1 };
/** Longest wait of a part; shorter than the time limit of the router's request. */
const MAX_WAIT_MS = 2_000;

/** Lets companies write parts of pictures in turn, so that starts, claims and reports find a free connection. */
export class PartWriteLimiter {
  private readonly writes = new ByteBudget(WRITE_LIMITS);

  /** Throws UNAVAILABLE when the turn does not come in time; the router sends the part again. */
  async run<Result>(companyID: string, write: () => Promise<Result>): Promise<Result> {
    const turn = await this.writes.reserveWithin(companyID, 1, MAX_WAIT_MS);
    if (!turn) throw new ApiError('UNAVAILABLE', 'Too many parts of pictures are being stored; try again.');
    try {
      return await write();
    } finally {
      turn.release();
    }
  }
}
