import type { PublishedMapping } from '@batuta/contracts';
import { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { isReserved, parsePointer } from './pointer';

const REMEMBERED = 10_000;
/** Of all that is remembered, about: the longest mappings that owners may make have tens of megabytes each. */
const MOST_BYTES = 64 * 1_048_576;
/** What an entry and a step of it take beside their text. */
const ENTRY_BYTES = 200;
const STEP_BYTES = 24;

/** A mapping with its pointers parsed. */
export interface ReadyMapping {
  entries: { steps: string[]; variableID: string }[];
  /** Something of the query or the headers is mapped. */
  readsRoots: boolean;
}

interface Key {
  versionID: string;
  originID: string;
}

const EMPTY: ReadyMapping = { entries: [], readsRoots: false };

/** The mappings of origins as versions published them. Versions never change, so each is read once. */
@Injectable()
export class MappingCache {
  private readonly mappings: LRUCache<string, ReadyMapping, Key>;

  constructor(store: Store) {
    this.mappings = new LRUCache({
      max: REMEMBERED,
      maxSize: MOST_BYTES,
      sizeCalculation: bytesOf,
      fetchMethod: (_key, _stale, { context }) => readMapping(store, context),
    });
  }

  /** Of an origin that the version does not map: nothing. */
  async of(versionID: string, originID: string): Promise<ReadyMapping> {
    const key = `${versionID}/${originID}`;
    const context = { versionID, originID };
    return this.mappings.get(key) ?? (await this.mappings.fetch(key, { context })) ?? EMPTY;
  }
}

async function readMapping(store: Store, { versionID, originID }: Key): Promise<ReadyMapping | undefined> {
  const row = await store.row<{ mappings: string }>('SELECT mappings FROM process_version WHERE version_id = ?', [
    versionID,
  ]);
  if (!row) return undefined;
  const mappings: PublishedMapping[] = JSON.parse(row.mappings);
  return ready(mappings.find((mapping) => mapping.originID === originID)?.entries ?? []);
}

function bytesOf({ entries }: ReadyMapping): number {
  return entries.reduce(
    (total, { steps }) => total + ENTRY_BYTES + STEP_BYTES * steps.length + steps.join('').length,
    1,
  );
}

/** Also for a mapping that is not published. A malformed pointer finds nothing. */
export function ready(mapped: PublishedMapping['entries']): ReadyMapping {
  const entries = mapped.flatMap(({ pointer, variableId }) => {
    const steps = parsePointer(pointer);
    return steps ? [{ steps, variableID: variableId }] : [];
  });
  return { entries, readsRoots: entries.some(({ steps }) => isReserved(steps[0])) };
}
