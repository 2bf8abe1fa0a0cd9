import { execution, type MappedValues, type StartReply, type StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';

/** How long execution may take to answer; whoever asked us asks again, for as long as its caller waits. */
const ANSWER_MILLISECONDS = 1_500;
/** Publications that one start may meet on its way. */
const MAPPINGS_TRIED = 3;

/** A start in all but its values. */
export interface MappedOrder {
  request: Omit<StartRequest, 'matrix' | 'mapped'>;
  originID: string;
  captureID?: string;
  /** What the mapping of a version takes from the payload. */
  valuesOf: (versionID: string) => Promise<MappedValues['values']>;
}

/** Starts of the published version by its mapping: the two always belong together, whatever is being published. */
@Injectable()
export class MappedStarts {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  /**
   * `versionID` = the version that was published when last looked, null for none. Throws what execution refuses with, and
   * UNAVAILABLE when it does not answer: then the same may be asked again, as `resent`.
   */
  async start(order: MappedOrder, versionID: string | null): Promise<StartReply> {
    let version = versionID;
    for (let tried = 1; tried <= MAPPINGS_TRIED; tried += 1) {
      const values = version === null ? [] : await order.valuesOf(version);
      const reply = await this.ask(order, {
        originID: order.originID,
        captureID: order.captureID,
        versionID: version,
        values,
      });
      if (reply) return reply;
      version = await this.publishedVersion(order.request.processID);
    }
    throw new ApiError('UNAVAILABLE', 'The process is being published again and again; try again.');
  }

  /** undefined when another version has been published since. */
  private async ask({ request }: MappedOrder, mapped: MappedValues): Promise<StartReply | undefined> {
    try {
      return await this.rpc.call(execution.start, { ...request, mapped }, { timeout: ANSWER_MILLISECONDS });
    } catch (error) {
      if (error instanceof ApiError && error.code === 'CONFLICT') return undefined;
      throw error;
    }
  }

  private async publishedVersion(processID: string): Promise<string | null> {
    const row = await this.store.row<{ published_version_id: string | null }>(
      'SELECT published_version_id FROM process WHERE process_id = ?',
      [processID],
    );
    return row?.published_version_id ?? null;
  }
}
