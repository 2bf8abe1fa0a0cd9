import type { EnvironmentFacts, ProcessStartFacts } from '@batuta/catalog';
import type { StartReply, StartRequest } from '@batuta/contracts';
import { ApiError } from '@batuta/errors';
import { stringifyWithRaw } from '@batuta/json';
import type { StartFlow } from '../flows/flow-cache';
import { convertValues, type StartValue } from './convert-values';
import { requireStarterRights, type Starter } from './starter-rights';

/** The facts from which a batch of starts is decided. They are not of one snapshot: each query sees what is committed when it runs. */
export interface StartFacts {
  /** The time of the database at which the facts were read. */
  now: Date;
  processes: Map<string, ProcessStartFacts>;
  /** The environments that requests name and those registered on the processes, in reach or not; by environment id. */
  environments: Map<string, EnvironmentFacts>;
  /** Company id by account id, for the accounts whose requests name an environment. */
  companies: Map<string, string>;
  /** The unpublished flow (draft) as JSON text, by process id, for debug runs. */
  drafts: Map<string, string>;
  /** The accounts of the starts by hand, by account id. */
  starters: Map<string, Starter>;
}

/** A start that passed the checks of process, values and environment; those of vault, credits, agents and queue follow. */
export interface DecidedStart {
  request: StartRequest;
  process: ProcessStartFacts;
  flow: StartFlow;
  environment: EnvironmentFacts;
  /** All Matrix variables of the process, also those for which no value came. */
  matrix: StartValue[];
  /** The converted Matrix values as JSON text. */
  matrixJson: string;
  /** Ids of variables that the webhook mapping of this start fills and that have since been deleted (interpretation 26); for the audit trail. */
  skipped: string[];
}

/** A decided start, matched with the connected agents of its environment by the abilities that it needs. */
export interface MatchedStart extends DecidedStart {
  /** The abilities that an agent needs for the flow and, if the setting demands it, for secret values, separated by commas. */
  needs: string;
  /**
   * The sentence of `missingAbilitiesPhrase` about the connected agents of the environment; undefined when one of them has every needed ability,
   * or when none is connected.
   */
  missing: string | undefined;
}

/** What the reply to an accepted start says: `started` or `queued`. */
export type AcceptedAs = StartReply['status'];

/**
 * Checks, in this order, the deadline, the existence, the permission of a start by hand, the active owner, the published version, the version of a
 * webhook mapping, the values and the environment (interpretation 11). Throws the first refusal. A dry run does not call this function: it makes its
 * checks one by one, because it lists all refusals (DryRunService).
 */
export function decideStart(request: StartRequest, facts: StartFacts): DecidedStart {
  if (request.deadline < facts.now.getTime())
    throw new ApiError('ROUTER_ERROR', 'The start arrived after its deadline; it was not carried out.');
  const process = facts.processes.get(request.processID);
  if (!process) throw new ApiError('PROCESS_NOT_FOUND');
  requireStarterRights(request, process.ownerAccountID, facts.starters);
  requireActiveOwner(process);
  const flow = request.trigger.kind === 'debug' ? draftFlowOf(process, facts) : requirePublishedVersion(process);
  requireVersionOfMapping(request, flow);
  const values = convertValues(process.matrix, request);
  const environment = chooseEnvironment(request, process, facts);
  return { request, process, flow, environment, matrixJson: stringifyWithRaw(values.matrix).json, ...values };
}

/** Throws OWNER_INACTIVE when the owner is blocked or the owner's company is suspended. */
export function requireActiveOwner(process: ProcessStartFacts): void {
  if (!process.ownerActive) throw new ApiError('OWNER_INACTIVE', 'The owner of the process has no active access.');
}

/** Throws INSUFFICIENT_CREDITS for a balance of less than one credit. */
export function requireCredit(balance: number): void {
  if (balance >= 1) return;
  throw new ApiError(
    'INSUFFICIENT_CREDITS',
    'The company that owns the process has no credits left; nothing was queued.',
  );
}

/**
 * `started` when an agent that can run the start is connected, even if it is busy; `queued` otherwise. Throws AGENT_OFFLINE when the start
 * would be queued and the environment keeps no queue. This check follows that of the credits, and the limit of the queue follows this one
 * (interpretations 2, 11, 55 and 56).
 */
export function acceptedAs({ environment, missing }: Pick<MatchedStart, 'environment' | 'missing'>): AcceptedAs {
  if (environment.online && missing === undefined) return 'started';
  if (environment.offlineFlow) return 'queued';
  const reason = missing === undefined ? `The environment "${environment.name}" is offline and` : `${missing}, and it`;
  throw new ApiError('AGENT_OFFLINE', `${reason} keeps no queue for pending executions.`);
}

/** Throws PROCESS_NOT_PUBLISHED for an inactive process, and for one without a published version. */
export function requirePublishedVersion(process: ProcessStartFacts): { versionID: string; version: number } {
  if (!process.active) throw new ApiError('PROCESS_NOT_PUBLISHED', 'The process is inactive.');
  if (process.versionID === null)
    throw new ApiError('PROCESS_NOT_PUBLISHED', 'No version of the process is published.');
  return { versionID: process.versionID, version: process.version };
}

function draftFlowOf({ processID }: ProcessStartFacts, { drafts }: Pick<StartFacts, 'drafts'>): { draft: string } {
  const draft = drafts.get(processID);
  if (draft === undefined) throw new ApiError('BAD_REQUEST', 'flow: nothing was saved that could run');
  return { draft };
}

/**
 * Refuses a start whose values were mapped for another version: a mapping belongs to one version, and a new version may
 * have been published since.
 */
function requireVersionOfMapping({ mapped, trigger }: StartRequest, flow: StartFlow): void {
  if (mapped === undefined || trigger.kind === 'debug' || !('versionID' in flow)) return;
  if (mapped.versionID !== flow.versionID)
    throw new ApiError('CONFLICT', 'versionID: another version was published meanwhile');
}

/**
 * The environment of the request, which must be within the caller's reach; without one, that registered on the process, which must be
 * within the owner's reach (contract 4.8 rule 3). Throws INVALID_ENVIRONMENT otherwise.
 */
export function chooseEnvironment(
  request: Pick<StartRequest, 'environmentID' | 'trigger'>,
  process: ProcessStartFacts,
  facts: Pick<StartFacts, 'environments' | 'companies'>,
): EnvironmentFacts {
  const { environmentID, trigger } = request;
  if (environmentID !== undefined) {
    const callerID = trigger.accountID ?? process.ownerAccountID;
    const companyID = callerID === process.ownerAccountID ? process.companyID : facts.companies.get(callerID);
    const requested = facts.environments.get(environmentID);
    if (requested && isReachable(requested, callerID, companyID)) return requested;
    throw new ApiError(
      'INVALID_ENVIRONMENT',
      `environmentID: the environment ${environmentID} does not exist or is out of reach.`,
    );
  }
  const registered = facts.environments.get(process.environmentID ?? '');
  if (registered && isReachable(registered, process.ownerAccountID, process.companyID)) return registered;
  throw new ApiError(
    'INVALID_ENVIRONMENT',
    process.environmentID === null
      ? 'The process has no environment registered; correct it in the registration of the process.'
      : `The environment ${process.environmentID} registered on the process is out of its owner's reach; correct it in the registration of the process.`,
  );
}

/** True for an environment of the account itself and for one that is shared with the account's company. */
export function isReachable(environment: EnvironmentFacts, accountID: string, companyID: string | undefined): boolean {
  return environment.accountID === accountID || (environment.shared && environment.companyID === companyID);
}
