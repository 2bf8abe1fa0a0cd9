import { PICTURE_PART_BYTES } from '@batuta/agent-protocol';
import type { Store } from '@batuta/database';
import type { ObjectStore } from './object-store';

/** Pictures in the database, also incomplete ones, in parts that are much smaller than the server's largest packet. */
export class DatabaseStore implements ObjectStore {
  readonly location = '';

  constructor(private readonly store: Store) {}

  async read(evidenceID: string, from: number, length: number): Promise<Buffer | undefined> {
    const first = Math.floor(from / PICTURE_PART_BYTES);
    const last = Math.ceil((from + length) / PICTURE_PART_BYTES);
    const rows = await this.store.rows<{ content: Buffer }>(
      'SELECT content FROM evidence_part WHERE evidence_id = ? AND part > ? AND part <= ? ORDER BY part',
      [evidenceID, first, last],
    );
    if (rows.length < last - first) return undefined;
    const start = from - first * PICTURE_PART_BYTES;
    return Buffer.concat(rows.map((row) => row.content)).subarray(start, start + length);
  }

  async remove(evidenceID: string): Promise<void> {
    await this.store.write('DELETE FROM evidence_part WHERE evidence_id = ?', [evidenceID]);
  }

  async list(after: string, limit: number): Promise<string[]> {
    const rows = await this.store.rows<{ evidence_id: string }>(
      'SELECT evidence_id FROM evidence_part WHERE evidence_id > ? GROUP BY evidence_id ORDER BY evidence_id LIMIT ?',
      [after, limit],
    );
    return rows.map((row) => row.evidence_id);
  }
}
