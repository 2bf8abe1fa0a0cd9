import type { Store } from '@batuta/database';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { contentOf } from '../flows/flow-cache';

const MAX_VERSIONS = 10_000;

/** What agents need for the published versions, as `needsOf` writes it. A version never changes. */
@Injectable()
export class VersionNeeds {
  private readonly versions = new LRUCache<string, string>({ max: MAX_VERSIONS });

  /** The needs by version id; reads only versions that this replica has not met. A deleted version is missing. */
  async load(store: Store, versionIDs: string[]): Promise<Map<string, string>> {
    const unmet = [...new Set(versionIDs)].filter((id) => !this.versions.has(id));
    if (unmet.length > 0) await this.read(store, unmet);
    return new Map(
      versionIDs.flatMap((id) => {
        const needs = this.versions.get(id);
        return needs === undefined ? [] : [[id, needs]];
      }),
    );
  }

  private async read(store: Store, versionIDs: string[]): Promise<void> {
    const rows = await store.rows<{ version_id: string; needs: string | null }>(
      'SELECT version_id, needs FROM process_version WHERE version_id IN (?)',
      [versionIDs],
    );
    for (const { version_id: id, needs } of rows) {
      const known = needs ?? (await needsOfFlow(store, id));
      if (known !== undefined) this.versions.set(id, known);
    }
  }
}

/** For a version that a console of the previous release published. */
async function needsOfFlow(store: Store, versionID: string): Promise<string | undefined> {
  const row = await store.row<{ flow: string }>('SELECT flow FROM process_version WHERE version_id = ?', [versionID]);
  return row && contentOf(row.flow).needs;
}
