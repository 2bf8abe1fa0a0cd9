import { ByteBudget } from '@batuta/async';
import { Injectable } from '@nestjs/common';

const MEGABYTE = 1_048_576;
/** Below this an environment is not asked to make room for others. */
const MIN_SHARE_BYTES = MEGABYTE;

/** The bytes of agents that this replica keeps, by environment. One environment gets its share of each, whatever others do. */
@Injectable()
export class AgentMemory {
  /** Messages in assembly. The share is one message of the largest size, or several smaller ones. */
  readonly frames = new ByteBudget({ totalBytes: 40 * MEGABYTE, perTenantBytes: 8 * MEGABYTE });
  /** Reports that execution has not stored yet. */
  readonly reports = new ByteBudget({ totalBytes: 48 * MEGABYTE, perTenantBytes: 16 * MEGABYTE });
  /** Large frames that agents have not read yet. */
  readonly unread = new ByteBudget({ totalBytes: 48 * MEGABYTE, perTenantBytes: 16 * MEGABYTE });

  /** The agents of the environment read too slowly to be sent more. */
  isUnreadFull(environmentID: string): boolean {
    const own = this.unread.usedBytesOf(environmentID);
    const limit = own < MIN_SHARE_BYTES ? undefined : this.unread.exceeded(environmentID, 0);
    return limit !== undefined;
  }
}
