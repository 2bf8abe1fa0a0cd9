import { execution, type CaptureStart, type StartReply } from '@batuta/contracts';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { MappedStarts } from '../calls/mapped-starts';
import { mappedValues } from '../calls/mapped-values';
import { MappingCache, ready } from '../calls/mapping-cache';
import { holdsMask, MASK } from '../calls/masking';
import { StoredCaptures } from './stored-captures';

/** How long execution may take to answer; whoever asked asks again, as `resent`. */
const ANSWER_MILLISECONDS = 1_500;

/** Starts that take their values from a capture. What is masked in it is not known any more, and so never sent. */
@Injectable()
export class CaptureStarts {
  constructor(
    private readonly captures: StoredCaptures,
    private readonly starts: MappedStarts,
    private readonly versions: MappingCache,
    private readonly rpc: Rpc,
  ) {}

  /** The version in development, with the mapping that is being worked on and without Secretos (contract 4.17). */
  async debug({ captureID, instanceID, deadline, resent, by }: CaptureStart): Promise<StartReply> {
    const { payload, mapping } = await this.captures.mappable(captureID);
    const { originID, processID, unsaved, saved } = mapping;
    // A node that holds something masked goes along: the flow is tried with the rest of it.
    const values = mappedValues(ready(unsaved ?? saved), payload).filter(({ value }) => value !== MASK);
    const mapped = { originID, versionID: null, captureID, values };
    const request = { instanceID, deadline, resent, processID, trigger: { kind: 'debug' as const, ...by }, mapped };
    return this.rpc.call(execution.start, request, { timeout: ANSWER_MILLISECONDS });
  }

  /**
   * The published version with its own mapping, as the call would have started it, on behalf of who asks. A node that
   * holds something masked stays behind as a whole: what was not sent like this must not pass for a real payload.
   */
  async replay({ captureID, instanceID, deadline, resent, by }: CaptureStart): Promise<StartReply> {
    const { payload, mapping } = await this.captures.mappable(captureID);
    const { originID, originName, processID, versionID } = mapping;
    const { accountID, executor } = by;
    const trigger = { kind: 'webhook' as const, accountID, userName: originName, executor };
    const order = {
      request: { instanceID, deadline, resent, processID, trigger },
      originID,
      captureID,
      valuesOf: async (version: string) => {
        const values = mappedValues(await this.versions.of(version, originID), payload);
        return values.filter(({ value }) => !holdsMask(value));
      },
    };
    return this.starts.start(order, versionID);
  }
}
