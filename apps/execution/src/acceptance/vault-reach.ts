import type { Store } from '@batuta/database';
import { ApiError } from '@batuta/errors';
import { contentOf, type FlowContent, type FlowCache } from '../flows/flow-cache';
import { isReachable, type DecidedStart } from './decision';
import type { DecisionOrRefusal } from './start-charging';

/**
 * Refuses starts whose flow reads the vault in an environment outside of the owner's reach (interpretation 49). Only a
 * caller with a share can name such an environment, so the flows of other starts are not read.
 */
export async function refuseVaultOutOfReach(
  tx: Store,
  flows: FlowCache,
  decisions: DecisionOrRefusal[],
): Promise<DecisionOrRefusal[]> {
  const elsewhere = decisions.flatMap((decision) =>
    'start' in decision && !isWithinOwnersReach(decision.start) ? [decision.start] : [],
  );
  if (elsewhere.length === 0) return decisions;
  const refused = await startsThatReadVault(tx, flows, elsewhere);
  return decisions.map((decision) => {
    if (!('start' in decision) || !refused.has(decision.start)) return decision;
    const { request, requestID, start } = decision;
    return { request, requestID, error: vaultOutOfReachError(start) };
  });
}

type StartWithFlow = Pick<DecidedStart, 'process' | 'environment' | 'flow'>;

/** Throws INVALID_ENVIRONMENT for a start that `refuseVaultOutOfReach` would refuse. */
export async function requireVaultReach(store: Store, flows: FlowCache, start: StartWithFlow): Promise<void> {
  if (isWithinOwnersReach(start)) return;
  if ((await startsThatReadVault(store, flows, [start])).size > 0) throw vaultOutOfReachError(start);
}

async function startsThatReadVault<Start extends StartWithFlow>(
  store: Store,
  flows: FlowCache,
  starts: Start[],
): Promise<Set<Start>> {
  const versionIDs = starts.flatMap(({ flow }) => ('versionID' in flow ? [flow.versionID] : []));
  const versions = await flows.pickFromAll(store, versionIDs, readsVault);
  return new Set(
    starts.filter(({ flow }) =>
      'versionID' in flow ? versions.get(flow.versionID) === true : readsVault(contentOf(flow.draft)),
    ),
  );
}

function readsVault({ vaultKeys }: FlowContent): boolean {
  return vaultKeys.length > 0;
}

function isWithinOwnersReach({ process, environment }: StartWithFlow): boolean {
  return isReachable(environment, process.ownerAccountID, process.companyID);
}

function vaultOutOfReachError({ environment }: StartWithFlow): ApiError {
  return new ApiError(
    'INVALID_ENVIRONMENT',
    `environmentID: the flow reads the vault of the owner of the process, and the environment ${environment.environmentID} is neither the owner's nor shared with the owner's company.`,
  );
}
