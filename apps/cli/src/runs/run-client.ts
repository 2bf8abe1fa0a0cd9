import type { ControlAction, Instance, InstanceEvent } from '@batuta/client';
import type { EndedInstance, InstanceInProgress, LogLineAnswer } from '@batuta/client/console-types';

export type RunBody = Instance | InstanceInProgress | EndedInstance;
export type EndedRun = Extract<RunBody, { finishedAt: string }>;
export type LogLine = LogLineAnswer;
export type RunEvent = InstanceEvent | { event: 'log'; data: LogLine } | { event: 'status'; data: RunBody };

export interface StartedRun {
  instanceID: string;
  status: 'started' | 'queued';
  /** A start with the same idempotency key was accepted before, and the run is that of the earlier start. */
  replayed?: boolean;
  /** The run is that of an earlier start with other values. */
  mismatch?: boolean;
}

/** Reads and controls runs, through the console with the login session or through the gateway with a credential. */
export interface RunClient {
  /** The present state. Throws for a refusal, without an answer, and once `signal` aborts. */
  status(instanceID: string, signal?: AbortSignal): Promise<RunBody>;
  /** The newest lines, `limit` at most, oldest first. */
  logs(instanceID: string, limit: number): Promise<LogLine[]>;
  /**
   * Lines and states as they arrive, up to the end of the run; an answer without content (204), such as one of a proxy, ends them before. Throws
   * once the signal aborts, for a refusal, and after too long an outage.
   */
  events(instanceID: string, signal: AbortSignal): AsyncIterable<RunEvent>;
  /** Resolves when the action was accepted; a run that an agent executes may follow later. */
  control(instanceID: string, action: ControlAction): Promise<void>;
}

export function hasEnded(run: RunBody): run is EndedRun {
  return 'finishedAt' in run;
}
