import type { EnvironmentOverview, ProcessSummary } from '../../api/generated/console-api';

/** `later` = an earlier step must be done first. */
export type StepState = 'done' | 'next' | 'later';

export interface FirstSteps {
  /** `done` while an environment that the account reaches has a connected agent. */
  environment: StepState;
  /** `done` while an own process is active and published. */
  process: StepState;
  /** Never `done`: the page shows the steps only until the first run. */
  run: StepState;
  /** The environment of the first run: one with a connected agent, or else any; undefined without an environment. */
  environmentID?: string;
  /** The process of the first run: an active, published one that the account owns; undefined without one. */
  pid?: string;
}

type Environment = Pick<EnvironmentOverview, 'environmentID' | 'agents'>;
type Process = Pick<ProcessSummary, 'processID' | 'currentVersion' | 'active' | 'owned'>;

/** The progress of an account without a run, derived from its environments and processes. */
export function firstStepsOf(environments: Environment[], processes: Process[]): FirstSteps {
  const withAgent = environments.find(({ agents }) => agents > 0);
  const published = processes.find(({ currentVersion, active, owned }) => owned && active && currentVersion > 0);
  return {
    environment: withAgent ? 'done' : 'next',
    process: published ? 'done' : withAgent ? 'next' : 'later',
    run: published && withAgent ? 'next' : 'later',
    environmentID: (withAgent ?? environments[0])?.environmentID,
    pid: published?.processID,
  };
}

/** Whether the process is shared with this account, which can run it now; an account with such a process needs none of the steps. */
export function isRunnableShare({
  owned,
  permissions,
  active,
  currentVersion,
}: Pick<ProcessSummary, 'owned' | 'permissions' | 'active' | 'currentVersion'>): boolean {
  return !owned && permissions?.execute === true && active && currentVersion > 0;
}
