import type { EnvironmentOverview, ProcessSummary } from '../../api/generated/console-api';

export type StepState = 'done' | 'next' | 'later';

export interface FirstSteps {
  environment: StepState;
  process: StepState;
  run: StepState;
  /** The environment of the first run: one with a connected agent, if there is one. */
  environmentID?: string;
  /** The process of the first run. */
  pid?: string;
}

type Environment = Pick<EnvironmentOverview, 'environmentID' | 'agents'>;
type Process = Pick<ProcessSummary, 'processID' | 'currentVersion' | 'active' | 'owned'>;

/** The progress of an account without a run, derived from its environments and processes. */
export function firstSteps(environments: Environment[], processes: Process[]): FirstSteps {
  const withAgent = environments.find(({ agents }) => agents > 0);
  const place = withAgent ?? environments[0];
  const published = processes.find(({ currentVersion, active, owned }) => owned && active && currentVersion > 0);
  const hasPlace = withAgent !== undefined;
  return {
    environment: hasPlace ? 'done' : 'next',
    process: published ? 'done' : hasPlace ? 'next' : 'later',
    run: published && hasPlace ? 'next' : 'later',
    environmentID: place?.environmentID,
    pid: published?.processID,
  };
}
