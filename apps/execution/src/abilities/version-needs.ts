import { entryLimit } from '@batuta/async';
import type { Store } from '@batuta/database';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { EXECUTION_CONFIG, type ExecutionConfig } from '../config';
import { contentOf, FlowCache, type StartFlow } from '../flows/flow-cache';
import { mayNeedSealing, withSealingAbility } from './sealing-need';

const MAX_CACHED_VERSIONS = 10_000;

/** A start with its flow and its values; `matrix` is absent when the values were refused. */
interface StartOfVersion {
  flow: StartFlow;
  matrix?: readonly { type: string; value: unknown }[];
}

/**
 * Caches the abilities that agents need for published versions, as texts that separate them by commas. A version never
 * changes.
 */
@Injectable()
export class VersionNeeds {
  private readonly versions = new LRUCache<string, string>(entryLimit(MAX_CACHED_VERSIONS));

  constructor(
    private readonly flows: FlowCache,
    @Inject(EXECUTION_CONFIG) private readonly config: Pick<ExecutionConfig, 'REQUIRE_SEALED_VALUES'>,
  ) {}

  /**
   * The abilities that each start needs, in the order of the starts. With REQUIRE_SEALED_VALUES, a start with secret values also needs the
   * ability of opening sealed values.
   */
  async needsOfStarts(store: Store, starts: readonly StartOfVersion[]): Promise<string[]> {
    const versionIDs = starts.flatMap(({ flow }) => ('versionID' in flow ? [flow.versionID] : []));
    const known = await this.load(store, versionIDs);
    const needs = starts.map(({ flow }) =>
      // A version that is missing is being deleted with its process: it counts as needing no ability.
      'versionID' in flow ? (known.get(flow.versionID) ?? '') : contentOf(flow.draft).needs,
    );
    if (this.config.REQUIRE_SEALED_VALUES === 0) return needs;
    const secret = await Promise.all(starts.map((start) => this.hasSecretValues(store, start)));
    return needs.map((name, index) => (secret[index] ? withSealingAbility(name) : name));
  }

  /** True also for a flow that reads the vault. */
  private async hasSecretValues(store: Store, { flow, matrix = [] }: StartOfVersion): Promise<boolean> {
    if (mayNeedSealing(matrix)) return true;
    const content = 'draft' in flow ? contentOf(flow.draft) : await this.flows.loadOne(store, flow.versionID);
    return content !== undefined && content.vaultKeys.length > 0;
  }

  /** The needed abilities by version id. Queries only versions that are not cached; a deleted version has no entry. */
  async load(store: Store, versionIDs: string[]): Promise<Map<string, string>> {
    const uncached = [...new Set(versionIDs)].filter((id) => !this.versions.has(id));
    if (uncached.length > 0) await this.read(store, uncached);
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

/**
 * Computes the needed abilities from the flow, because a console of the previous release stored none with the versions
 * that it published.
 */
async function needsOfFlow(store: Store, versionID: string): Promise<string | undefined> {
  const row = await store.row<{ flow: string }>('SELECT flow FROM process_version WHERE version_id = ?', [versionID]);
  return row && contentOf(row.flow).needs;
}
