import { execution, type CaptureStart, type StartReply } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { Rpc } from '@batuta/messaging';
import { Injectable } from '@nestjs/common';
import { mappedValues } from '../mapping/evaluation/mapped-values';
import { MappingCache, parseMapping } from '../mapping/evaluation/mapping-cache';
import { containsMask, MASK } from '../masking/masking';
import { MappedStartService, START_ATTEMPT_TIMEOUT_MS } from '../starts/mapped-start.service';
import { CaptureService, noSuchCapture } from './capture.service';

/**
 * Starts a process with values from a capture. A masked value is unknown, so it is not sent; a node of which only a part is masked is sent
 * in a debug run alone.
 */
@Injectable()
export class CaptureStartService {
  constructor(
    private readonly captures: CaptureService,
    private readonly starts: MappedStartService,
    private readonly publishedMappings: MappingCache,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Starts a debug run with the draft mapping, or with the saved one if there is no draft. Secreto values are left out
   * (contract 4.17).
   */
  async debug({ captureID, instanceID, deadline, resent, by, environmentID }: CaptureStart): Promise<StartReply> {
    const { payload, mapping } = await this.captures.findMappable(captureID);
    const { originID, processID, unsaved, saved } = mapping;
    // Only a node that is masked as a whole is left out. One with a masked part is sent with the mask, because a debug run only tries the flow.
    const values = mappedValues(parseMapping(unsaved ?? saved), payload).filter(({ value }) => value !== MASK);
    const mapped = { originID, versionID: null, captureID, values };
    const trigger = { kind: 'debug' as const, ...by };
    const request = { instanceID, deadline, resent, processID, trigger, environmentID, mapped };
    const options = { timeout: START_ATTEMPT_TIMEOUT_MS, tenant: processID };
    return this.rpc.call(execution.start, request, options).catch(refuseAsUnknown);
  }

  /**
   * Starts the published version with its mapping, on behalf of the account in `by`. A node with a masked part is not
   * sent, because a production run must not receive the mask as if it were a value of the payload.
   */
  async replay({ captureID, instanceID, deadline, resent, by }: CaptureStart): Promise<StartReply> {
    const { payload, mapping } = await this.captures.findMappable(captureID);
    const { originID, originName, processID, versionID } = mapping;
    const trigger = { kind: 'webhook' as const, ...by, userName: originName };
    const start = {
      request: { instanceID, deadline, resent, processID, trigger },
      originID,
      captureID,
      valuesOf: async (version: string) => {
        const values = mappedValues(await this.publishedMappings.mappingOf(version, originID), payload);
        return values.filter(({ value }) => !containsMask(value));
      },
    };
    return this.starts.start(start, versionID).catch(refuseAsUnknown);
  }
}

/** Somebody who cannot see the process, or whose share has ended meanwhile, is told that the capture does not exist. */
function refuseAsUnknown(error: unknown): never {
  throw error instanceof ApiError && error.code === 'PROCESS_NOT_FOUND' ? noSuchCapture() : error;
}
