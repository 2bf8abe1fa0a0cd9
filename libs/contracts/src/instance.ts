/**
 * Contract 3.1. `unknown`: offered to an agent, and not granted yet. `started` appears in replies to starts only and is not a status
 * (interpretation 1).
 */
export const INSTANCE_STATUSES = ['queued', 'running', 'success', 'error', 'terminated', 'stopped', 'unknown'] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** The statuses of a failed run: those with `failed` = 1 in the table `instance`. */
export const FAILED_STATUSES: readonly InstanceStatus[] = ['error', 'terminated'];

/** How an instance ended, as a waiting webhook caller reads it (contract 4.17, interpretation 5). */
export const OUTCOMES = ['FINALIZED', 'TERMINATED', 'STEP_LIMIT_REACHED', 'ERROR', 'STOPPED', 'CRASHED'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** The desired state that a control action sets; routers and agents reconcile it (contract 4.10). */
export type DesiredState = 'run' | 'pause' | 'stop';

export const CONTROL_ACTIONS = ['stop', 'pause', 'resume'] as const;
export type ControlAction = (typeof CONTROL_ACTIONS)[number];

export const SEVERITIES = ['INFO', 'WARNING', 'ERROR'] as const;
export type Severity = (typeof SEVERITIES)[number];

/**
 * What started an instance; `webhook` includes replays of captures, and `manual` runs that repeat an instance. Debug runs cost no credit and do
 * not appear in the history of the API (interpretation 40).
 */
export const TRIGGER_KINDS = ['api', 'manual', 'debug', 'schedule', 'webhook'] as const;
export type TriggerKind = (typeof TRIGGER_KINDS)[number];

/** The position of every instance behind the first thousand of its queue: counting stops there. */
export const LAST_QUEUE_POSITION = 1_001;

/** An active instance (contract 2.6b). `startedAt` in epoch milliseconds; before the start the time of the acceptance. */
export interface InstanceInProgress {
  instanceID: string;
  processID: string;
  /** The name that the process had when the start was accepted. */
  processName: string;
  status: InstanceStatus;
  /** Who is shown as the starter: for an API call the label of the credential, for a webhook call the name of the origin (interpretation 10). */
  userName: string;
  startedAt: number;
  /** From the request of a pause on, also before the agent has paused, until a resume or a stop is requested (interpretation 4). */
  paused?: true;
  /**
   * Only while queued, in addition to the contract: the position in the environment's queue, from 1 to LAST_QUEUE_POSITION, and the reason of
   * the wait; with ABILITY_MISSING `message` names the abilities that no connected agent has, or no single one has together (interpretation 56).
   */
  queue?: { position: number; reason: 'AGENT_OFFLINE' | 'AGENT_BUSY' | 'ABILITY_MISSING'; message?: string };
  /** As in `InstanceEnded`; an instance may go on after its answer. */
  response?: InstanceResponse;
}

/**
 * An ended instance (contract 2.6b). Times in ISO 8601 UTC, `durationSeconds` rounded to whole seconds, with its pauses; for an instance that
 * never ran `startedAt` is the time of the acceptance, and the duration 0 (interpretation 46).
 */
export interface InstanceEnded {
  instanceID: string;
  processID: string;
  /** The name that the process had when the start was accepted. */
  processName: string;
  status: InstanceStatus;
  startedAt: string;
  finishedAt: string;
  durationSeconds: number;
  /** The name of the step that failed or that exceeded the step limit; else null. */
  errorStep: string | null;
  /** Why it failed or was given up, such as the loss of its agent; else null. */
  errorMessage: string | null;
  /**
   * `savingsValue` = the money that the work of a person would have cost, `fteHours` = the hours that it would have taken, by the settings of
   * the process at the end of the instance; both 0 unless the status is `success` (interpretation 41).
   */
  savingsValue: number;
  fteHours: number;
  /** The number of the version that ran, as text; `0` for a debug run. */
  version: string;
  /**
   * The answer of the process to its webhook caller, even if that caller had disconnected. The contract does not have this
   * field.
   */
  response?: InstanceResponse;
}

/** The valid answer of a process to its webhook caller; `body` = the JSON value, with `•••` in place of secret values. */
export interface InstanceResponse {
  code: number;
  body: unknown;
}

export type InstanceBody = InstanceInProgress | InstanceEnded;

/** An ended instance in the history (contract 2.7), with the fields as in `InstanceEnded`. */
export interface HistoryItem {
  instanceID: string;
  processID: string;
  /** The name that the process had when the start was accepted. */
  processName: string;
  status: InstanceStatus;
  startedAt: string;
  finishedAt: string;
  durationSeconds: number;
  savingsValue: number;
  fteHours: number;
}

/**
 * A line of an instance's log (contract 2.8). `stepID` = the name of the step, or empty; `timestamp` in ISO 8601 UTC; `userName`
 * and `version` are those of the instance; `evidence` = what the step left as proof: the path of a picture in the API, or text.
 */
export interface LogLine {
  timestamp: string;
  severity: Severity;
  message: string;
  stepID: string;
  userName: string;
  version: string;
  evidence: string | null;
}

/** An event in the audit trail of a process. `at` in ISO 8601 UTC. */
export interface AuditEvent {
  at: string;
  action: string;
  instanceID: string | null;
  /**
   * Who acted; for an API call the Identifier of the process key (contract 1, interpretation 10). For the end of an instance the executor of
   * its start, or of the stop that ended it before it ran, or `cancelQueueOnException`. An account with a share reads the owner's name for an
   * action of the owner, and an empty text for the end of an instance that somebody may have stopped in the queue.
   */
  executor: string;
  /**
   * The account that acted; null for a start by webhook, for the end of an instance, and, where an account with a share reads, for an action of the
   * owner.
   */
  accountID: string | null;
  detail: Record<string, unknown>;
}

/** An event in the feed of the audit trail. `id` grows with time. */
export interface AuditFeedEvent extends AuditEvent {
  id: number;
  processID: string;
  /** The company of the process; null for a process that was deleted before deletions were recorded. */
  companyID: string | null;
}

/** The account that reads; an instance is visible to the account that started it and to the process owner (interpretation 13). */
export interface Viewer {
  accountID: string;
}
