import type { HookCall } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { KeyRing } from '@batuta/secrets';
import { Injectable } from '@nestjs/common';
import { noSuchOrigin } from '../origins/removal';
import { unsealSignature } from '../origins/sealing';
import { requireSignature } from './signature';

@Injectable()
export class SignatureRules {
  constructor(
    private readonly store: Store,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Judges a call by its origin's rule as it is at this moment; of an origin that asks for none nothing is read.
   * Throws WEBHOOK_SIGNATURE_INVALID, or NOT_FOUND of an origin that was removed meanwhile.
   */
  async require({ originID, signed, headers }: HookCall, body: Buffer): Promise<void> {
    if (!signed) return;
    const row = await this.store.row<{ signature: Buffer | null }>('SELECT signature FROM origin WHERE origin_id = ?', [
      originID,
    ]);
    if (!row) throw noSuchOrigin();
    if (!row.signature) return;
    const rule = unsealSignature(this.keys, originID, row.signature);
    requireSignature(rule, { body, headers }, Math.floor(Date.now() / 1_000));
  }
}
