import type { Mapping, MappingEntry, PublishedMapping } from '@batuta/contracts';
import type { Store } from '@batuta/database';
import { noSuchOrigin } from '../origins/origin.repository';

/** The mapping of one origin in its three states, with the origin and its process. */
export interface OriginMapping extends Mapping {
  originID: string;
  processID: string;
  originName: string;
  /** The published version of the process; null when there is none. */
  versionID: string | null;
}

interface MappingRow {
  origin_id: string;
  process_id: string;
  name: string;
  mapping_draft: string | null;
  mapping_saved: string;
  published_version_id: string | null;
  mappings: string | null;
}

const SELECT_MAPPING = `SELECT o.origin_id, o.process_id, o.name, o.mapping_draft, o.mapping_saved, p.published_version_id, v.mappings
    FROM origin o
    JOIN process p ON p.process_id = o.process_id
    LEFT JOIN process_version v ON v.version_id = p.published_version_id`;

/** The mapping of an origin; throws NOT_FOUND for an unknown origin. */
export async function findMapping(store: Store, originID: string): Promise<OriginMapping> {
  const row = await store.row<MappingRow>(`${SELECT_MAPPING} WHERE o.origin_id = ?`, [originID]);
  if (!row) throw noSuchOrigin();
  return toMapping(row);
}

/** Replaces the draft; `null` removes it. */
export async function replaceDraft(tx: Store, originID: string, entries: MappingEntry[] | null): Promise<void> {
  const draft = entries && JSON.stringify(entries.map(({ pointer, variableId }) => ({ pointer, variableId })));
  await tx.write('UPDATE origin SET mapping_draft = ? WHERE origin_id = ?', [draft, originID]);
}

/** Replaces the saved mapping by the draft, if there is one. */
export async function promoteDraft(tx: Store, originID: string): Promise<void> {
  await tx.write(
    `UPDATE origin SET mapping_saved = mapping_draft, mapping_draft = NULL
      WHERE origin_id = ? AND mapping_draft IS NOT NULL`,
    [originID],
  );
}

export async function findVariableIDs(store: Store, processID: string): Promise<Set<string>> {
  const rows = await store.rows<{ variable_id: string }>(
    'SELECT variable_id FROM matrix_variable WHERE process_id = ?',
    [processID],
  );
  return new Set(rows.map(({ variable_id }) => variable_id));
}

function toMapping(row: MappingRow): OriginMapping {
  const unsaved: MappingEntry[] | null = row.mapping_draft === null ? null : JSON.parse(row.mapping_draft);
  const saved: MappingEntry[] = JSON.parse(row.mapping_saved);
  const ofVersion: PublishedMapping[] = row.mappings === null ? [] : JSON.parse(row.mappings);
  return {
    originID: row.origin_id,
    processID: row.process_id,
    originName: row.name,
    versionID: row.published_version_id,
    unsaved,
    saved,
    published: ofVersion.find(({ originID }) => originID === row.origin_id)?.entries ?? [],
  };
}
