import { recordAction } from '@batuta/audit';
import type { Capture, CaptureSummary, OnBehalf } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { jsonObstacle } from '@batuta/matrix';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { findMapping, type OriginMapping } from '../mapping/mapping.repository';
import { lockEditPermission } from '../origins/edit-permission';
import { auditFieldsOf } from '../origins/origin.repository';
import { maskSecretNames } from '../masking/secret-names';
import { findSecretPointers } from '../masking/secret-pointers';
import { redactPayload, type StoredPayload } from '../masking/stored-payload';
import { visibleHeaders } from '../payload/headers';
import { parsePayload } from '../payload/payload';
import { payloadHasRefusedName, payloadOf, type Payload } from '../payload/payload-tree';
import { SignatureService } from '../signature/signature.service';
import * as captures from './capture.repository';
import type { StoredCapture } from './capture.repository';

/** The redacted payload of a capture that can be mapped, and the mappings of its origin. */
export interface MappableCapture {
  payload: Payload;
  mapping: OriginMapping;
}

/**
 * Captures as the console reads and removes them (contract 2.10); it has checked who may read. Removing a capture changes no mapping, and writes an
 * audit event.
 */
@Injectable()
export class CaptureService {
  constructor(
    private readonly store: Store,
    private readonly signatures: SignatureService,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** Newest first. Throws NOT_FOUND for an unknown origin. */
  async listOfOrigin(originID: string): Promise<CaptureSummary[]> {
    await findMapping(this.store, originID);
    return captures.findCapturesOfOrigin(this.store, originID);
  }

  /** With secrets masked as they must be now. Throws NOT_FOUND. */
  async find(captureID: string): Promise<Capture> {
    const { summary, payload } = await this.findRedacted(captureID);
    return toCapture(summary, payload);
  }

  /** Throws NOT_FOUND, also when another request has removed the capture meanwhile, and what `lockEditPermission` throws. */
  async remove(captureID: string, by: OnBehalf): Promise<void> {
    await this.store.transaction(async (tx) => {
      const capture = await captures.findCapture(tx, captureID);
      if (!capture) throw noSuchCapture();
      await lockEditPermission(tx, capture.summary.originID, by);
      if (!(await captures.deleteCapture(tx, captureID))) throw noSuchCapture();
      const { objectID: origin, ...auditFields } = await auditFieldsOf(tx, capture.summary.originID);
      const detail = { ...auditFields.detail, origin };
      recordAction(tx, { action: 'capture.delete', objectID: captureID, ...auditFields, detail });
    });
  }

  /** Removes all captures of an origin; returns their number. Throws what `lockEditPermission` throws, and NOT_FOUND for an unknown origin. */
  async removeAll(originID: string, by: OnBehalf): Promise<number> {
    return this.store.transaction(async (tx) => {
      await lockEditPermission(tx, originID, by);
      const auditFields = await auditFieldsOf(tx, originID);
      const removed = await captures.deleteCapturesOfOrigin(tx, originID);
      recordAction(tx, { action: 'captures.delete', ...auditFields, detail: { ...auditFields.detail, removed } });
      return removed;
    });
  }

  /**
   * What a preview or a start with a capture needs. Throws NOT_FOUND, CONFLICT for a truncated capture (contract 4.17), and BAD_REQUEST for a
   * refused name that an earlier release stored.
   */
  async findMappable(captureID: string): Promise<MappableCapture> {
    const { payload, mapping } = await this.findRedacted(captureID);
    if (payload.truncated) throw new ApiError('CONFLICT', 'capture: is truncated and cannot be mapped');
    return { payload: openPayload(payload), mapping };
  }

  /**
   * Redacts at each read: since the capture was stored, a variable may have become a Secreto, and a header may have become hidden, masked by its
   * name, or the one of the signature.
   */
  private async findRedacted(captureID: string): Promise<StoredCapture & { mapping: OriginMapping }> {
    const capture = await captures.findCapture(this.store, captureID);
    if (!capture) throw noSuchCapture();
    const mapping = await findMapping(this.store, capture.summary.originID);
    const redacted = redactPayload(capture.payload, await findSecretPointers(this.store, mapping));
    const headers = visibleHeaders(redacted.headers, this.config.HIDDEN_HEADERS);
    const payload = maskSecretNames({ ...redacted, headers }, await this.signatures.headerOf(mapping.originID));
    return { ...capture, payload, mapping };
  }
}

/** `stored` is already redacted. */
function toCapture(summary: CaptureSummary, stored: StoredPayload): Capture {
  // A payload with a refused name was stored by an earlier release; it is shown as text (interpretation 62).
  if (stored.truncated || payloadHasRefusedName(stored.body, stored.query)) return { ...summary, text: stored.body };
  const { body, tree } = openPayload(stored);
  if (jsonObstacle(body)) return { ...summary, text: stored.body };
  // The tree contains the body's fields; a body without fields is shown as text.
  const hasFields = typeof body === 'object' && body !== null;
  return { ...summary, payload: tree, ...(!hasFields && { text: stored.body }) };
}

/** `stored` must not be truncated. Throws BAD_REQUEST for a refused name. */
function openPayload({ body, query, headers }: StoredPayload): Payload {
  return payloadOf(parsePayload(body), query, headers);
}

export function noSuchCapture(): ApiError {
  return new ApiError('NOT_FOUND', 'No such capture.');
}
