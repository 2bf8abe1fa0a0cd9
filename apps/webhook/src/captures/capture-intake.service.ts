import type { HookCall } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { findMapping } from '../mapping/mapping.repository';
import { maskSecretNames } from '../masking/secret-names';
import { findSecretPointers } from '../masking/secret-pointers';
import { MAX_CAPTURED_BYTES, redactPayload, truncateText, type StoredPayload } from '../masking/stored-payload';
import { lockOrigin } from '../origins/origin.repository';
import { visibleHeaders } from '../payload/headers';
import { parsePayload, decodeText } from '../payload/payload';
import { queryNode } from '../payload/payload-tree';
import { PayloadMemory } from '../payload/payload-memory';
import { SignatureService } from '../signature/signature.service';
import { CaptureMetrics } from './capture.metrics';

/** Maximum number of captures of one origin; a new one replaces the oldest (contract 2.10). */
const MAX_CAPTURES = 10;

/** Stores the payloads of calls of development URLs; starts nothing (contract 4.17). */
@Injectable()
export class CaptureIntakeService {
  constructor(
    private readonly store: Store,
    private readonly signatures: SignatureService,
    private readonly memory: PayloadMemory,
    private readonly metrics: CaptureMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /**
   * Returns the capture's id. Throws WEBHOOK_SIGNATURE_INVALID, the refusal of an unreadable body or query, NOT_FOUND when the origin was removed,
   * or UNAVAILABLE without memory for the body.
   */
  async capture(call: HookCall): Promise<string> {
    const bytes = Buffer.from(call.body, 'base64');
    const { header } = await this.signatures.require(call, bytes);
    const text = decodeText({ body: bytes, contentType: call.contentType });
    // Query and body are parsed only to refuse those that a start would refuse.
    queryNode(call.query);
    await this.memory.run(call.processID, bytes, async () => parsePayload(text, call.contentType));
    const truncated = bytes.length > MAX_CAPTURED_BYTES;
    const stored = {
      truncated,
      body: truncated ? truncateText(text) : text,
      query: call.query,
      headers: visibleHeaders(call.headers, this.config.HIDDEN_HEADERS),
    };
    const payload = maskSecretNames(stored, header);
    const captureID = await this.insert(call.originID, payload, bytes.length);
    faultPoint('webhook:after-capture');
    this.metrics.countCapture();
    return captureID;
  }

  private insert(originID: string, payload: StoredPayload, bytes: number): Promise<string> {
    return this.store.transaction(async (tx) => {
      // Locks the origin. Saving a mapping takes the same lock, because it redacts stored captures and must not miss
      // one that is being stored.
      await lockOrigin(tx, originID);
      const pointers = await findSecretPointers(tx, await findMapping(tx, originID));
      const { truncated, body, query, headers } = redactPayload(payload, pointers);
      await removeOldest(tx, originID);
      const captureID = uuid();
      await tx.write(
        `INSERT INTO capture (capture_id, origin_id, captured_at, bytes, truncated, body, query, headers)
           VALUES (?, ?, UTC_TIMESTAMP(3), ?, ?, ?, ?, ?)`,
        [captureID, originID, bytes, truncated, body, query, JSON.stringify(headers)],
      );
      return captureID;
    });
  }
}

/** Deletes the oldest captures of the origin until there is room for one more. */
async function removeOldest(tx: Store, originID: string): Promise<void> {
  const rows = await tx.rows<{ capture_id: string }>(
    `SELECT capture_id FROM capture WHERE origin_id = ?
      ORDER BY captured_at DESC, capture_id DESC LIMIT 1000 OFFSET ${MAX_CAPTURES - 1}`,
    [originID],
  );
  const oldest = rows.map(({ capture_id }) => capture_id);
  if (oldest.length > 0) await tx.write('DELETE FROM capture WHERE capture_id IN (?)', [oldest]);
}
