import type { EnvironmentFacts, LaunchFacts } from '@batuta/catalog';
import type { StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { readMatrix, type StartValue } from './values';

/** Facts of one batch of starts, read together. */
export interface BatchFacts {
  now: Date;
  launches: Map<string, LaunchFacts>;
  environments: Map<string, EnvironmentFacts>;
  /** Company by account, for the accounts that start processes of others. */
  companies: Map<string, string>;
  /** The flow in development, as JSON text, by process; of those that a debug run is asked of. */
  drafts: Map<string, string>;
}

/** A start that may go ahead as far as its process, values and environment are concerned. */
export interface Launch {
  request: StartRequest;
  facts: LaunchFacts;
  flow: LaunchedFlow;
  environment: EnvironmentFacts;
  matrix: StartValue[];
  /** Variables of a published mapping that were deleted since (interpretation 26). */
  skipped: string[];
}

/** What runs: the published version, or of a debug run the text of the flow in development. */
export type LaunchedFlow = { versionID: string; version: number } | { draft: string };

/** The checks of interpretation 11 from the owner to the environment, in that order. Throws the first refusal. */
export function decideLaunch(request: StartRequest, facts: BatchFacts): Launch {
  if (request.deadline < facts.now.getTime())
    throw new ApiError('ROUTER_ERROR', 'The start came too late; it was not done.');
  const launch = facts.launches.get(request.processID);
  if (!launch) throw new ApiError('PROCESS_NOT_FOUND');
  requireActiveOwner(launch);
  const flow = request.trigger.kind === 'debug' ? draftOf(launch, facts) : publishedVersion(launch);
  requireSameVersion(request, flow);
  const values = readMatrix(launch.matrix, request);
  return { request, facts: launch, flow, environment: chooseEnvironment(request, launch, facts), ...values };
}

export function requireActiveOwner(launch: LaunchFacts): void {
  if (!launch.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
}

export function requireCredit(balance: number): void {
  if (balance >= 1) return;
  throw new ApiError(
    'INSUFFICIENT_CREDITS',
    'The company that owns the process has no credits left; nothing was queued.',
  );
}

/** Interpretations 2 and 11: the last word, after the credits. */
export function acceptedAs({ environment }: Pick<Launch, 'environment'>): 'started' | 'queued' {
  if (environment.online) return 'started';
  if (environment.offlineFlow) return 'queued';
  throw new ApiError(
    'AGENT_OFFLINE',
    `The environment "${environment.name}" is offline and keeps no queue for pending executions.`,
  );
}

export function publishedVersion(launch: LaunchFacts): { versionID: string; version: number } {
  if (!launch.active) throw new ApiError('PROCESS_NOT_PUBLISHED', 'The process is inactive.');
  if (launch.versionID === null) throw new ApiError('PROCESS_NOT_PUBLISHED', 'No version of the process is published.');
  return { versionID: launch.versionID, version: launch.version };
}

function draftOf({ processID }: LaunchFacts, { drafts }: Pick<BatchFacts, 'drafts'>): { draft: string } {
  const draft = drafts.get(processID);
  if (draft === undefined) throw new ApiError('BAD_REQUEST', 'flow: nothing was saved that could run');
  return { draft };
}

/** A mapping belongs to one version: between its use and this moment another one may have been published. */
function requireSameVersion({ mapped, trigger }: StartRequest, flow: LaunchedFlow): void {
  if (mapped === undefined || trigger.kind === 'debug' || !('versionID' in flow)) return;
  if (mapped.versionID !== flow.versionID)
    throw new ApiError('CONFLICT', 'versionID: another version was published meanwhile');
}

/** Contract 4.8 rule 3: one sent must be within the caller's reach, the registered one within the owner's. */
export function chooseEnvironment(
  request: Pick<StartRequest, 'environmentID' | 'trigger'>,
  launch: LaunchFacts,
  facts: Pick<BatchFacts, 'environments' | 'companies'>,
): EnvironmentFacts {
  const { environmentID, trigger } = request;
  if (environmentID !== undefined) {
    const callerID = trigger.accountID ?? launch.ownerAccountID;
    const companyID = callerID === launch.ownerAccountID ? launch.companyID : facts.companies.get(callerID);
    const sent = facts.environments.get(environmentID);
    if (sent && isReachable(sent, callerID, companyID)) return sent;
    throw new ApiError(
      'INVALID_ENVIRONMENT',
      `environmentID: the environment ${environmentID} does not exist or is out of reach.`,
    );
  }
  const registered = facts.environments.get(launch.environmentID ?? '');
  if (registered && isReachable(registered, launch.ownerAccountID, launch.companyID)) return registered;
  throw new ApiError(
    'INVALID_ENVIRONMENT',
    launch.environmentID === null
      ? 'The process has no environment registered; correct it in the registration of the process.'
      : `The environment ${launch.environmentID} registered on the process is out of its owner's reach; correct it in the registration of the process.`,
  );
}

function isReachable(environment: EnvironmentFacts, accountID: string, companyID: string | undefined): boolean {
  return environment.accountID === accountID || (environment.shared && environment.companyID === companyID);
}
