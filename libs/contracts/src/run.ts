import type { InstanceStatus, Outcome, TriggerKind } from './instance';

/**
 * Which instances a list of runs shows; a field that is left out does not filter. `from` (inclusive) and `to` (exclusive) bound
 * the time of the acceptance, in ISO 8601.
 */
export interface RunFilter {
  processID?: string;
  statuses?: InstanceStatus[];
  triggers?: TriggerKind[];
  environmentID?: string;
  from?: string;
  to?: string;
}

/** A request for a page of the runs that an account may see. */
export interface RunsRequest {
  accountID: string;
  filter: RunFilter;
  limit: number;
  /** The `older` cursor of the previous page. */
  before?: string;
}

/** An instance in a list of runs. Times in ISO 8601 UTC. */
export interface Run {
  instanceID: string;
  processID: string;
  /** The name that the process had when the start was accepted. */
  processName: string;
  status: InstanceStatus;
  /** Null until it has ended. */
  outcome: Outcome | null;
  /** As in `InstanceInProgress`. */
  paused?: true;
  trigger: TriggerKind;
  /** Who started it, as in `InstanceInProgress`. */
  userName: string;
  environmentID: string;
  /** 0 for a debug run of the flow in development. */
  version: number;
  acceptedAt: string;
  /** When the instance was granted to an agent; null before, and for an instance that never ran. */
  startedAt: string | null;
  finishedAt: string | null;
  /** From `startedAt` to `finishedAt`, with pauses; null until the instance has ended, and when it never ran. */
  durationMs: number | null;
  /** The name of the step that failed or that exceeded the step limit; else null. */
  errorStep: string | null;
  /** The first 500 characters of the message; the instance has the whole message. */
  errorMessage: string | null;
  /** The instance whose run it repeats; null for a run that repeats none. */
  retryOf: string | null;
}

/** A value with which an instance started, converted; for a Secreto it only says whether there was a value. */
export interface StartedValue {
  name: string;
  type: string;
  /** null for a Secreto. */
  value: unknown;
  /** Only for a Secreto that had a value, which whoever repeats the run must enter again. */
  secret?: true;
  /** Set by the console: no variable of the process has this name any more, so a further run takes no such value. */
  removed?: true;
}

export interface RunDetails {
  run: Run;
  /**
   * The name of the agent that had the instance last. Absent for an instance that no agent had or that waits in the queue, once the session of
   * the agent is deleted, and from an execution of the previous release.
   */
  agent?: string;
  /**
   * Null when the values are not kept: for a debug run, for values of more than 16,000 characters, and once the log
   * lines are deleted. Also null when they cannot be read.
   */
  values: StartedValue[] | null;
  /** Present when the values are kept but cannot be unsealed, for example because their key was removed from the service. */
  valuesUnreadable?: true;
}

/**
 * One page of runs. `older` is present when further runs may exist, even if this page has fewer than `limit` runs or
 * none.
 */
export interface RunListPage {
  runs: Run[];
  older?: { before: string };
}

/** Which ended instances to count: of one process, or of all processes of the account. */
export interface StatisticsRequest {
  accountID: string;
  /**
   * The period. An instance counts at its start, or at its acceptance if it ended without a start. ISO 8601; `from` is inclusive, `to` is
   * exclusive and at most 31 days after `from`.
   */
  from: string;
  to: string;
  by: 'hour' | 'day';
  processID?: string;
  /**
   * Counts the ended instances that the list of runs shows of the period. In own processes: those that were also accepted in the period. In
   * shared processes: those that the account started and that were accepted in the period, whenever they began to run. An execution of the
   * previous release ignores it.
   */
  asListed?: true;
}

/** Percentiles of the times from start to end, in milliseconds; null when no instance ran. */
export interface DurationPercentiles {
  p50Ms: number | null;
  p95Ms: number | null;
}

export interface StatisticsBucket extends DurationPercentiles {
  /** The beginning of the hour or of the day in America/Sao_Paulo, in ISO 8601 UTC. */
  at: string;
  outcomes: Record<Outcome, number>;
}

/** Debug runs are not counted. Buckets without an instance are left out. */
export interface Statistics extends DurationPercentiles {
  buckets: StatisticsBucket[];
  outcomes: Record<Outcome, number>;
  /**
   * The time from which instances are counted: the beginning of the period, or a later time when the period has more
   * instances than one request counts.
   */
  since: string;
}

/** The active instances of an environment; each number is counted up to `MAX_COUNTED_INSTANCES`. */
export interface EnvironmentLoad {
  environmentID: string;
  queued: number;
  /** Includes instances that are offered to an agent. */
  running: number;
}
