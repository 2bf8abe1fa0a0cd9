import type { Capture, CaptureSummary } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { Inject, Injectable } from '@nestjs/common';
import type { Payload } from '../calls/tree';
import { visibleHeaders } from '../calls/headers';
import { redacted } from '../calls/stored-payload';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import * as mappings from '../mapping/mapping.repository';
import type { OriginMapping } from '../mapping/mapping.repository';
import { secretPointers } from '../calls/secret-pointers';
import { noSuchOrigin } from '../origins/removal';
import * as captures from './capture.repository';
import type { StoredCapture } from './capture.repository';
import { openPayload, shownCapture } from './shown-capture';

/** A capture that can be mapped, without what is mapped to a Secreto, and the mappings of its origin. */
export interface MappableCapture {
  payload: Payload;
  mapping: OriginMapping;
}

/** Contract 2.10: what came in through development URLs. Deleting it changes no mapping. */
@Injectable()
export class StoredCaptures {
  constructor(
    private readonly store: Store,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  async ofOrigin(originID: string): Promise<CaptureSummary[]> {
    await this.mappingOf(originID);
    return captures.ofOrigin(this.store, originID);
  }

  async find(captureID: string): Promise<Capture> {
    const { summary, payload } = await this.readable(captureID);
    return shownCapture(summary, payload);
  }

  async remove(captureID: string): Promise<void> {
    if (!(await captures.remove(this.store, captureID))) throw noSuchCapture();
  }

  async removeAll(originID: string): Promise<number> {
    await this.mappingOf(originID);
    return captures.removeAll(this.store, originID);
  }

  /** Throws CONFLICT for a capture of which only the beginning was kept (contract 4.17). */
  async mappable(captureID: string): Promise<MappableCapture> {
    const { payload, mapping } = await this.readable(captureID);
    if (payload.truncated) throw new ApiError('CONFLICT', 'capture: is truncated and cannot be mapped');
    return { payload: openPayload(payload), mapping };
  }

  /** At every reading: what is a Secreto, or a hidden header, now may not have been one when it was stored. */
  private async readable(captureID: string): Promise<StoredCapture & { mapping: OriginMapping }> {
    const capture = await captures.find(this.store, captureID);
    if (!capture) throw noSuchCapture();
    const mapping = await this.mappingOf(capture.summary.originID);
    const masked = redacted(capture.payload, await secretPointers(this.store, mapping));
    const payload = { ...masked, headers: visibleHeaders(masked.headers, this.config.HIDDEN_HEADERS) };
    return { ...capture, payload, mapping };
  }

  private async mappingOf(originID: string): Promise<OriginMapping> {
    const mapping = await mappings.find(this.store, originID);
    if (!mapping) throw noSuchOrigin();
    return mapping;
  }
}

function noSuchCapture(): ApiError {
  return new ApiError('NOT_FOUND', 'There is no such capture.');
}
