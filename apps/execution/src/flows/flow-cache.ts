import { jsonWeight } from '@batuta/async';
import type { Store } from '@batuta/database';
import { mappingOf, needsOf, readShape, vaultKeysOf, type Step } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** What a start runs: the published version, or for a debug run the text of the draft. */
export type StartFlow = { versionID: string; version: number } | { draft: string };

/** A flow as agents get it, and what the service knows about it. */
export interface FlowContent {
  flow: unknown;
  /** Size of the flow as JSON text. */
  bytes: number;
  /** Estimated memory of the parsed flow, in bytes. */
  weight: number;
  /** The vault keys to which the flow refers. */
  vaultKeys: string[];
  /** Whether the flow has a response step. */
  responds: boolean;
  /** Whether the flow has a sensitive row or a sensitive field of a step's mapping. */
  hasSensitiveValues: boolean;
  /** The abilities that the flow needs of an agent, sorted and separated by commas. */
  needs: string;
}

interface FlowRow {
  version_id: string;
  flow: string | null;
}

const MAX_CACHED_VERSIONS = 500;
/** Maximum estimated memory of the cache: a flow of one megabyte may take thirty megabytes when parsed. */
const MAX_CACHE_BYTES = 32 * 1_048_576;
/** A flow that is larger than this is read alone. */
const LARGE_FLOW_BYTES = 64 * 1_024;

/** The flows of published versions, which never change. */
@Injectable()
export class FlowCache {
  private readonly versions = new LRUCache<string, FlowContent>({
    max: MAX_CACHED_VERSIONS,
    maxSize: MAX_CACHE_BYTES,
    sizeCalculation: ({ weight }) => weight,
  });

  /**
   * The flows by version id. Deleted versions are missing, and large flows that are not cached; the caller reads the latter one by one
   * with `loadOne`.
   */
  async load(store: Store, versionIDs: string[]): Promise<Map<string, FlowContent>> {
    const found = new Map<string, FlowContent>();
    const missing: string[] = [];
    for (const id of new Set(versionIDs)) {
      const content = this.versions.get(id);
      if (content) found.set(id, content);
      else missing.push(id);
    }
    if (missing.length === 0) return found;
    const rows = await store.rows<FlowRow>(
      'SELECT version_id, IF(OCTET_LENGTH(flow) <= ?, flow, NULL) AS flow FROM process_version WHERE version_id IN (?)',
      [LARGE_FLOW_BYTES, missing],
    );
    for (const { version_id: id, flow } of rows) if (flow !== null) found.set(id, this.keep(id, flow));
    return found;
  }

  /**
   * What `pick` takes from each flow, by version id; only deleted versions are missing. Large flows are read one by one, and only what
   * `pick` takes is kept besides the cache, because many of them at a time would exceed the memory of the service.
   */
  async pickFromAll<Picked>(
    store: Store,
    versionIDs: string[],
    pick: (content: FlowContent) => Picked,
  ): Promise<Map<string, Picked>> {
    const flows = await this.load(store, versionIDs);
    const picked = new Map<string, Picked>();
    for (const id of new Set(versionIDs)) {
      const content = flows.get(id) ?? (await this.loadOne(store, id));
      if (content) picked.set(id, pick(content));
    }
    return picked;
  }

  /** A flow of any size; undefined when its version was deleted with its process. */
  async loadOne(store: Store, versionID: string): Promise<FlowContent | undefined> {
    const cached = this.versions.get(versionID);
    if (cached) return cached;
    const sql = 'SELECT version_id, flow FROM process_version WHERE version_id = ?';
    const row = await store.row<{ flow: string }>(sql, [versionID]);
    return row && this.keep(versionID, row.flow);
  }

  private keep(versionID: string, text: string): FlowContent {
    const content = contentOf(text);
    this.versions.set(versionID, content);
    return content;
  }
}

/** `text` = the flow definition as JSON. A definition that does not have the form of a flow counts as one without steps. */
export function contentOf(text: string): FlowContent {
  const flow: unknown = JSON.parse(text);
  const read = readShape(flow);
  return {
    flow,
    bytes: Buffer.byteLength(text),
    weight: jsonWeight(text),
    vaultKeys: 'flow' in read ? vaultKeysOf(read.flow) : [],
    hasSensitiveValues: 'flow' in read && read.flow.steps.some(hasSensitiveValues),
    needs: 'flow' in read ? needsOf(read.flow) : '',
    responds: 'flow' in read && read.flow.steps.some(({ type }) => type === 'webhookResponse'),
  };
}

function hasSensitiveValues(step: Step): boolean {
  return [...(step.rows ?? []), ...Object.values(mappingOf(step))].some(({ sensitive }) => sensitive);
}
