import type { Store } from '@batuta/database';
import type { ConnectedAgents } from '../abilities/connected-agents';
import type { VersionNeeds } from '../abilities/version-needs';
import type { DecidedStart, MatchedStart } from './decision';
import type { DecisionOrRefusal } from './start-charging';

/**
 * Adds to each start the abilities that it needs of an agent, and the sentence about those that the connected agents lack.
 * Refusals stay as they are.
 */
export async function matchDecisions(
  tx: Store,
  versions: VersionNeeds,
  agents: ConnectedAgents,
  decisions: DecisionOrRefusal[],
): Promise<DecisionOrRefusal<MatchedStart>[]> {
  const starts = decisions.flatMap((decision) => ('start' in decision ? [decision.start] : []));
  const matched = await matchStarts(tx, versions, agents, starts);
  let next = 0;
  return decisions.map((decision) => {
    if (!('start' in decision)) return decision;
    const { request, requestID, start } = decision;
    const added = matched[next] ?? { needs: '', missing: undefined };
    next += 1;
    return { request, requestID, start: { ...start, ...added } };
  });
}

/** For each start, in order: the abilities that it needs of an agent, and the sentence about those that the connected agents lack. */
export async function matchStarts(
  store: Store,
  versions: VersionNeeds,
  agents: ConnectedAgents,
  starts: readonly (Pick<DecidedStart, 'process' | 'environment' | 'flow'> & Partial<Pick<DecidedStart, 'matrix'>>)[],
): Promise<Pick<MatchedStart, 'needs' | 'missing'>[]> {
  const needs = await versions.needsOfStarts(store, starts);
  const needy = starts.map((start, index) => ({ ...start, needs: needs[index] ?? '' }));
  const missing = await agents.missingAbilities(store, needy);
  return needy.map((start, index) => ({ needs: start.needs, missing: missing[index] }));
}
