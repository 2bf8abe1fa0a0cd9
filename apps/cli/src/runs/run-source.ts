import type { ControlAction, Instance, InstanceEvent } from '@batuta/client';
import type { EndedInstance, InstanceInProgress, LogLineAnswer } from '@batuta/client/console-types';
import type { Context } from '../context';
import { ConsoleRuns } from './console-runs';
import { GatewayRuns } from './gateway-runs';

export type Run = Instance | InstanceInProgress | EndedInstance;
export type EndedRun = Extract<Run, { finishedAt: string }>;
export type RunLine = LogLineAnswer;
export type RunEvent = InstanceEvent | { event: 'log'; data: RunLine } | { event: 'status'; data: Run };

export interface StartedRun {
  instanceID: string;
  status: 'started' | 'queued';
  replayed?: boolean;
}

/** Reads and controls runs, through the console with the login session or through the gateway with a credential. */
export interface RunSource {
  status(instanceID: string): Promise<Run>;
  /** The newest lines, oldest first. */
  logs(instanceID: string, limit: number): Promise<RunLine[]>;
  /** Lines and states as they arrive, up to the end of the run. */
  events(instanceID: string): AsyncIterable<RunEvent>;
  control(instanceID: string, action: ControlAction): Promise<void>;
}

export function hasEnded(run: Run): run is EndedRun {
  return 'finishedAt' in run;
}

/** The console if there is a login session; otherwise the gateway, for build pipelines that have only a credential. */
export function runSource(context: Context): RunSource {
  return context.hasSession ? new ConsoleRuns(context) : new GatewayRuns(context);
}
