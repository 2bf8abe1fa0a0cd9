import type { Store } from '@batuta/database';
import { redacted } from '../calls/stored-payload';
import type { OriginMapping } from '../mapping/mapping.repository';
import { secretPointers } from '../calls/secret-pointers';
import * as captures from './capture.repository';

/** Takes what is mapped to a Secreto out of all captures of the origin, for good (contract 2.10). */
export async function redactCaptures(tx: Store, mapping: OriginMapping): Promise<void> {
  const pointers = await secretPointers(tx, mapping);
  if (pointers.length === 0) return;
  for (const [captureID, payload] of await captures.lockPayloads(tx, mapping.originID)) {
    await captures.replacePayload(tx, captureID, redacted(payload, pointers));
  }
}
