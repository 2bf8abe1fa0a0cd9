import type { PublishedMapping } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isQueryOrHeaders, parsePointer } from '../../payload/pointer';

const MAX_CACHED_MAPPINGS = 10_000;
/**
 * Maximum memory of the whole cache, approximately: the largest mappings that can be made take 2.5 MB each, and those that an earlier
 * release accepted tens of megabytes.
 */
const MAX_CACHE_BYTES = 64 * 1_048_576;
/** Memory of an entry and of one of its steps, besides their text. */
const ENTRY_BYTES = 200;
const STEP_BYTES = 24;

/** A mapping with parsed pointers. */
export interface ParsedMapping {
  entries: { steps: string[]; variableID: string }[];
  /** Whether at least one entry maps a part of the query or the headers. */
  readsQueryOrHeaders: boolean;
}

interface MappingKey {
  versionID: string;
  originID: string;
}

const EMPTY_MAPPING: ParsedMapping = { entries: [], readsQueryOrHeaders: false };

/** The published mappings by version and origin. A version never changes, so entries do not expire. */
@Injectable()
export class MappingCache {
  private readonly mappings: LRUCache<string, ParsedMapping, MappingKey>;

  constructor(store: Store) {
    this.mappings = new LRUCache({
      max: MAX_CACHED_MAPPINGS,
      maxSize: MAX_CACHE_BYTES,
      sizeCalculation: bytesOf,
      fetchMethod: (_key, _stale, { context }) => readMapping(store, context),
      // Without this option a read fails when its entry is evicted meanwhile.
      ignoreFetchAbort: true,
    });
  }

  /** Returns an empty mapping when the version has none for the origin, or does not exist. */
  async mappingOf(versionID: string, originID: string): Promise<ParsedMapping> {
    const key = `${versionID}/${originID}`;
    const context = { versionID, originID };
    return this.mappings.get(key) ?? (await this.mappings.fetch(key, { context })) ?? EMPTY_MAPPING;
  }
}

async function readMapping(store: Store, { versionID, originID }: MappingKey): Promise<ParsedMapping | undefined> {
  const row = await store.row<{ mappings: string }>('SELECT mappings FROM process_version WHERE version_id = ?', [
    versionID,
  ]);
  if (!row) return undefined;
  const mappings: PublishedMapping[] = JSON.parse(row.mappings);
  return parseMapping(mappings.find((mapping) => mapping.originID === originID)?.entries ?? []);
}

function bytesOf({ entries }: ParsedMapping): number {
  return entries.reduce(
    (total, { steps }) => total + ENTRY_BYTES + STEP_BYTES * steps.length + steps.join('').length,
    1,
  );
}

/** Entries with a malformed pointer are left out, because they match no field. */
export function parseMapping(mapped: PublishedMapping['entries']): ParsedMapping {
  const entries = mapped.flatMap(({ pointer, variableId }) => {
    const steps = parsePointer(pointer);
    return steps ? [{ steps, variableID: variableId }] : [];
  });
  return { entries, readsQueryOrHeaders: entries.some(({ steps }) => isQueryOrHeaders(steps[0])) };
}
