import type { HookCall } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { faultPoint } from '@batuta/observability';
import { Inject, Injectable } from '@nestjs/common';
import { v7 as uuid } from 'uuid';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config';
import { find } from '../mapping/mapping.repository';
import { WebhookMetrics } from '../metrics';
import { lock } from '../origins/origin.repository';
import { noSuchOrigin } from '../origins/removal';
import { visibleHeaders } from './headers';
import { parsePayload, readText } from './payload';
import { secretPointers } from './secret-pointers';
import { SignatureRules } from './signature-rules';
import { beginningOf, MAX_CAPTURED_BYTES, redacted, type StoredPayload } from './stored-payload';

/** Captures of one origin; the oldest makes room (contract 2.10). */
const MAX_CAPTURES = 10;

/** Keeps what came to a development URL; runs nothing (contract 4.17). */
@Injectable()
export class CaptureService {
  constructor(
    private readonly store: Store,
    private readonly signatures: SignatureRules,
    private readonly metrics: WebhookMetrics,
    @Inject(WEBHOOK_CONFIG) private readonly config: WebhookConfig,
  ) {}

  /** Returns the capture's id. Throws what the body is refused with, and WEBHOOK_SIGNATURE_INVALID. */
  async capture(call: HookCall): Promise<string> {
    const bytes = Buffer.from(call.body, 'base64');
    await this.signatures.require(call, bytes);
    const text = readText({ body: bytes, contentType: call.contentType });
    parsePayload(text);
    const truncated = bytes.length > MAX_CAPTURED_BYTES;
    const payload: StoredPayload = {
      truncated,
      body: truncated ? beginningOf(text) : text,
      query: call.query,
      headers: visibleHeaders(call.headers, this.config.HIDDEN_HEADERS),
    };
    const captureID = await this.keep(call.originID, payload, bytes.length);
    faultPoint('webhook:after-capture');
    this.metrics.captures.inc();
    return captureID;
  }

  private keep(originID: string, payload: StoredPayload, bytes: number): Promise<string> {
    return this.store.transaction(async (tx) => {
      // One capture of an origin at a time, and none while its mapping is being saved: that redacts what is stored by then.
      const locked = await lock(tx, originID);
      const mapping = locked ? await find(tx, originID) : undefined;
      if (!mapping) throw noSuchOrigin();
      const { truncated, body, query, headers } = redacted(payload, await secretPointers(tx, mapping));
      await makeRoom(tx, originID);
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

async function makeRoom(tx: Store, originID: string): Promise<void> {
  const rows = await tx.rows<{ capture_id: string }>(
    `SELECT capture_id FROM capture WHERE origin_id = ?
      ORDER BY captured_at DESC, capture_id DESC LIMIT 1000 OFFSET ${MAX_CAPTURES - 1}`,
    [originID],
  );
  const oldest = rows.map(({ capture_id }) => capture_id);
  if (oldest.length > 0) await tx.write('DELETE FROM capture WHERE capture_id IN (?)', [oldest]);
}
