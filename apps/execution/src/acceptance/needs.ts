import type { Store } from '@batuta/database';
import type { ConnectedAgents } from '../abilities/connected-agents';
import type { VersionNeeds } from '../abilities/version-needs';
import { contentOf } from '../flows/flow-cache';
import type { DecidedStart, PlacedStart } from './decision';
import type { Decision } from './start-charging';

/** Adds to each start what it needs of an agent, and what the connected ones lack. Refusals stay as they are. */
export async function withNeeds(
  tx: Store,
  versions: VersionNeeds,
  agents: ConnectedAgents,
  decisions: Decision[],
): Promise<Decision<PlacedStart>[]> {
  const starts = decisions.flatMap((decision) => ('start' in decision ? [decision.start] : []));
  const placed = await placeStarts(tx, versions, agents, starts);
  let next = 0;
  return decisions.map((decision) => {
    if (!('start' in decision)) return decision;
    const { request, requestID, start } = decision;
    const added = placed[next] ?? { needs: '', missing: [] };
    next += 1;
    return { request, requestID, start: { ...start, ...added } };
  });
}

/** In the order of the starts. */
export async function placeStarts(
  store: Store,
  versions: VersionNeeds,
  agents: ConnectedAgents,
  starts: readonly Pick<DecidedStart, 'process' | 'environment' | 'flow'>[],
): Promise<Pick<PlacedStart, 'needs' | 'missing'>[]> {
  const versionIDs = starts.flatMap(({ flow }) => ('versionID' in flow ? [flow.versionID] : []));
  const known = await versions.load(store, versionIDs);
  const needy = starts.map((start) => {
    const { flow } = start;
    // A version that is missing is being deleted with its process.
    const needs = 'versionID' in flow ? (known.get(flow.versionID) ?? '') : contentOf(flow.draft).needs;
    return { ...start, needs };
  });
  const missing = await agents.missing(store, needy);
  return needy.map(({ needs }, index) => ({ needs, missing: missing[index] ?? [] }));
}
