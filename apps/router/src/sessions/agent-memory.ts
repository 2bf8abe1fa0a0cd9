import { ByteBudget } from '@batuta/async';
import { Injectable } from '@nestjs/common';

const MEGABYTE = 1_048_576;
/** Bytes that every environment may have in memory; below them it is never paused in favour of others. */
const MIN_SHARE_BYTES = MEGABYTE;

/**
 * The bytes of agents in this replica's memory. Each budget has a limit per environment, so that no environment uses up
 * the memory.
 */
@Injectable()
export class AgentMemory {
  /**
   * Memory of incomplete messages; the share of one environment is one message of the largest size, or several smaller
   * ones.
   */
  readonly frames = new ByteBudget({ totalBytes: 40 * MEGABYTE, perTenantBytes: 8 * MEGABYTE });
  /** Memory of reports that execution has not stored yet. */
  readonly reports = new ByteBudget({ totalBytes: 48 * MEGABYTE, perTenantBytes: 16 * MEGABYTE });
  /** Memory of picture parts that execution has not stored yet. */
  readonly parts = new ByteBudget({ totalBytes: 24 * MEGABYTE, perTenantBytes: 8 * MEGABYTE });
  /** Memory of large frames that agents have not read yet. */
  readonly unread = new ByteBudget({ totalBytes: 48 * MEGABYTE, perTenantBytes: 16 * MEGABYTE });

  /** True when no further frames are sent to the agents of the environment, because their unread bytes exceed its share. */
  isUnreadFull(environmentID: string): boolean {
    const own = this.unread.usedBytesOf(environmentID);
    const limit = own < MIN_SHARE_BYTES ? undefined : this.unread.limitExceededBy(environmentID, 0);
    return limit !== undefined;
  }
}
