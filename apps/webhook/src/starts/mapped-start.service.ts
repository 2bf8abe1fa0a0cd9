import { execution, type MappedValues, type StartReply, type StartRequest } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';

/** Timeout of one request to execution; gateway and console repeat the whole start, as `resent`, until their deadline. */
export const START_ATTEMPT_TIMEOUT_MS = 1_500;
/** Maximum attempts of a start, each with the mapping of another version, while versions are being published. */
const MAX_VERSIONS_TRIED = 3;

/** A start whose values depend on the published version. */
export interface MappedStart {
  request: Omit<StartRequest, 'matrix' | 'mapped'>;
  originID: string;
  /** The capture that the payload comes from; absent for a call. */
  captureID?: string;
  /** The values that the mapping of a version takes from the payload. */
  valuesOf: (versionID: string) => Promise<MappedValues['values']>;
}

/** Starts the published version with the mapping of exactly that version, also while versions are being published. */
@Injectable()
export class MappedStartService {
  constructor(
    private readonly store: Store,
    private readonly rpc: Rpc,
  ) {}

  /**
   * `versionID` = the published version as last read, null for none. Throws what `valuesOf` throws, the refusal of execution, or UNAVAILABLE when
   * it does not reply, or another version was published before each attempt. After UNAVAILABLE the start may be repeated as `resent`.
   */
  async start(start: MappedStart, versionID: string | null): Promise<StartReply> {
    let version = versionID;
    for (let tried = 1; tried <= MAX_VERSIONS_TRIED; tried += 1) {
      const values = version === null ? [] : await start.valuesOf(version);
      const { originID, captureID } = start;
      const reply = await this.attempt(start, { originID, captureID, versionID: version, values });
      if (reply) return reply;
      version = await this.publishedVersion(start.request.processID);
    }
    throw new ApiError('UNAVAILABLE', 'The process is being published again and again; try again.');
  }

  /** Returns undefined when another version has been published since `mapped` was made. */
  private async attempt({ request }: MappedStart, mapped: MappedValues): Promise<StartReply | undefined> {
    try {
      const options = { timeout: START_ATTEMPT_TIMEOUT_MS, tenant: request.processID };
      return await this.rpc.call(execution.start, { ...request, mapped }, options);
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
