import type { PublishedMapping } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isReserved, parsePointer } from './pointer';

const REMEMBERED_VERSIONS = 1_000;

/** A mapping with its pointers parsed. */
export interface ReadyMapping {
  entries: { steps: string[]; variableID: string }[];
  /** Something of the query or the headers is mapped. */
  readsRoots: boolean;
}

const EMPTY: ReadyMapping = { entries: [], readsRoots: false };

/** The mappings of published versions, by origin. Versions never change, so they are read once. */
@Injectable()
export class MappingCache {
  private readonly versions: LRUCache<string, Map<string, ReadyMapping>>;

  constructor(@Inject(Store) store: Store) {
    this.versions = new LRUCache({
      max: REMEMBERED_VERSIONS,
      fetchMethod: (versionID) => readVersion(store, versionID),
    });
  }

  /** Of an origin that the version does not map: nothing. */
  async of(versionID: string, originID: string): Promise<ReadyMapping> {
    const known = this.versions.get(versionID) ?? (await this.versions.fetch(versionID));
    return known?.get(originID) ?? EMPTY;
  }
}

async function readVersion(store: Store, versionID: string): Promise<Map<string, ReadyMapping> | undefined> {
  const row = await store.row<{ mappings: string }>('SELECT mappings FROM process_version WHERE version_id = ?', [
    versionID,
  ]);
  if (!row) return undefined;
  const mappings: PublishedMapping[] = JSON.parse(row.mappings);
  return new Map(mappings.map(({ originID, entries }) => [originID, ready(entries)]));
}

/** Also for a mapping that is not published. A malformed pointer finds nothing. */
export function ready(mapped: PublishedMapping['entries']): ReadyMapping {
  const entries = mapped.flatMap(({ pointer, variableId }) => {
    const steps = parsePointer(pointer);
    return steps ? [{ steps, variableID: variableId }] : [];
  });
  return { entries, readsRoots: entries.some(({ steps }) => isReserved(steps[0])) };
}
