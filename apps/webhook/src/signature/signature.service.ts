import type { HookCall } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { noSuchOrigin } from '../origins/origin.repository';
import { unsealSignature, type SignatureSecret } from '../origins/sealed-columns';
import { requireSignature } from './signature';

/** What the check of a call's signature has read; empty when its origin requires none. */
export interface CheckedSignature {
  /** The name of the header that has the signature. */
  header?: string;
  /** The id of the message, which a signature of Standard Webhooks covers. */
  messageID?: string | undefined;
}

/** Checks signatures by the current rule of the call's origin. */
@Injectable()
export class SignatureService {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Checks the signature of a call, without a query when the origin requires none; its age is counted to `calledAt` (epoch milliseconds). Throws
   * WEBHOOK_SIGNATURE_INVALID, or NOT_FOUND for an origin that was removed since the gateway authorized the call.
   */
  async require(
    { originID, signed, headers }: HookCall,
    body: Buffer,
    calledAt = Date.now(),
  ): Promise<CheckedSignature> {
    const rule = signed ? await this.ruleOf(originID) : undefined;
    if (!rule) return {};
    const messageID = requireSignature(rule, { body, headers }, Math.floor(calledAt / 1_000));
    return { header: rule.header, messageID };
  }

  /** The name of the header in which calls of the origin have their signature; undefined when it requires none. Throws NOT_FOUND. */
  async headerOf(originID: string): Promise<string | undefined> {
    return (await this.ruleOf(originID))?.header;
  }

  private async ruleOf(originID: string): Promise<SignatureSecret | undefined> {
    const row = await this.store.row<{ signature: Buffer | null }>('SELECT signature FROM origin WHERE origin_id = ?', [
      originID,
    ]);
    if (!row) throw noSuchOrigin();
    return row.signature ? unsealSignature(this.keys, originID, row.signature) : undefined;
  }
}
