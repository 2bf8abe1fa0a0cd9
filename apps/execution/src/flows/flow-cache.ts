import type { Store } from '@batuta/database';
import { readShape, vaultKeysOf } from '@batuta/flow';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';

/** A flow as agents get it, and what the service knows about it. */
export interface FlowContent {
  flow: unknown;
  bytes: number;
  vaultKeys: string[];
  /** The flow has a response step. */
  responds: boolean;
  hasSensitiveRows: boolean;
}

const MAX_VERSIONS = 500;

/** The flows of published versions, which never change. */
@Injectable()
export class FlowCache {
  private readonly versions = new LRUCache<string, FlowContent>({ max: MAX_VERSIONS });

  /** The flows by version id; versions that were deleted with their process are missing. */
  async load(store: Store, versionIDs: string[]): Promise<Map<string, FlowContent>> {
    const requested = [...new Set(versionIDs)];
    const missing = requested.filter((id) => !this.versions.has(id));
    if (missing.length > 0) await this.read(store, missing);
    return new Map(
      requested.flatMap((id) => {
        const content = this.versions.get(id);
        return content ? [[id, content]] : [];
      }),
    );
  }

  private async read(store: Store, versionIDs: string[]): Promise<void> {
    const rows = await store.rows<{ version_id: string; flow: string }>(
      'SELECT version_id, flow FROM process_version WHERE version_id IN (?)',
      [versionIDs],
    );
    for (const { version_id, flow } of rows) this.versions.set(version_id, contentOf(flow));
  }
}

/** `text` = the flow definition as JSON. */
export function contentOf(text: string): FlowContent {
  const flow: unknown = JSON.parse(text);
  const read = readShape(flow);
  return {
    flow,
    bytes: Buffer.byteLength(text),
    vaultKeys: 'flow' in read ? vaultKeysOf(read.flow) : [],
    hasSensitiveRows: 'flow' in read && read.flow.steps.some(({ rows = [] }) => rows.some((row) => row.sensitive)),
    responds: 'flow' in read && read.flow.steps.some(({ type }) => type === 'webhookResponse'),
  };
}
