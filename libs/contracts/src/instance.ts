/** Contract 3.1. `started` is a word of responses only, never a status (interpretation 1). */
export const INSTANCE_STATUSES = ['queued', 'running', 'success', 'error', 'terminated', 'stopped', 'unknown'] as const;
export type InstanceStatus = (typeof INSTANCE_STATUSES)[number];

/** How an instance ended, in the words a waiting webhook caller reads (contract 4.17, interpretation 5). */
export const OUTCOMES = ['FINALIZED', 'TERMINATED', 'STEP_LIMIT_REACHED', 'ERROR', 'STOPPED', 'CRASHED'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What a person or system wants of an instance; the agent is brought to it (contract 4.10). */
export type DesiredState = 'run' | 'pause' | 'stop';

export const CONTROL_ACTIONS = ['stop', 'pause', 'resume'] as const;
export type ControlAction = (typeof CONTROL_ACTIONS)[number];

export const SEVERITIES = ['INFO', 'WARNING', 'ERROR'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** What set an instance going. Debug runs cost nothing and stay out of the API's history (interpretation 40). */
export type TriggerKind = 'api' | 'manual' | 'debug' | 'schedule' | 'webhook';

/** Contract 2.6b, in progress. `startedAt` in epoch milliseconds. */
export interface InstanceInProgress {
  instanceID: string;
  processID: string;
  processName: string;
  status: InstanceStatus;
  userName: string;
  startedAt: number;
  /** Only while paused (interpretation 4). */
  paused?: true;
  /** Only while queued, beyond the specification: its place in the environment's queue, from 1, and what it waits for. */
  queue?: { position: number; reason: 'AGENT_OFFLINE' | 'AGENT_BUSY' };
  response?: InstanceResponse;
}

/** Contract 2.6b, ended. Times in ISO 8601 UTC, `durationSeconds` whole seconds, `fteHours` hours. */
export interface InstanceEnded {
  instanceID: string;
  processID: string;
  processName: string;
  status: InstanceStatus;
  startedAt: string;
  finishedAt: string;
  durationSeconds: number;
  errorStep: string | null;
  errorMessage: string | null;
  savingsValue: number;
  fteHours: number;
  version: string;
  /** Beyond the specification: what the process answered to its webhook's caller, who may have gone by then. */
  response?: InstanceResponse;
}

/** `body` is the JSON that the process answered with. */
export interface InstanceResponse {
  code: number;
  body: unknown;
}

export type InstanceBody = InstanceInProgress | InstanceEnded;

/** Contract 2.7. */
export interface HistoryItem {
  instanceID: string;
  processID: string;
  processName: string;
  status: InstanceStatus;
  startedAt: string;
  finishedAt: string;
  durationSeconds: number;
  savingsValue: number;
  fteHours: number;
}

/** Contract 2.8. `stepID` is the step's name; `timestamp` in ISO 8601 UTC. */
export interface LogLine {
  timestamp: string;
  severity: Severity;
  message: string;
  stepID: string;
  userName: string;
  version: string;
  evidence: string | null;
}

/** One row of the audit trail of a process. `at` in ISO 8601 UTC. */
export interface AuditEvent {
  at: string;
  action: string;
  instanceID: string | null;
  /** The process key's Identifier for an API call (contract 1, interpretation 10). */
  executor: string;
  accountID: string | null;
  detail: Record<string, unknown>;
}
