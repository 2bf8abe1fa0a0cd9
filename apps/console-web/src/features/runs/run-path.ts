import type { LogLineAnswer } from '../../api/generated/console-api';
import type { NumberedLogLine } from './run-log';
import type { RunStatus } from './run-status';

/** A step that the run entered; a step of a loop is in the path as often as the run entered it. */
export interface PathStep {
  step: string;
  startedAt: string;
  /** When the next step was entered, or the run ended; null before. */
  leftAt: string | null;
  /**
   * `failed` = the step has written an error, also one that its `onError` routes handled. A last step without an error gets the state of the ended
   * run.
   */
  state: 'running' | 'done' | 'failed' | 'stopped';
}

/** The steps whose start is in the log lines read so far, the newest MAX_STEPS at most. */
export interface RunPath {
  steps: PathStep[];
  /** The number of the first log line that was read; 0 before any was. A number above 1 means that earlier steps may be missing. */
  from: number;
}

export const NO_PATH: RunPath = { steps: [], from: 0 };

/** Maximum number of steps in the path; only the newest are kept. */
const MAX_STEPS = 300;

/** The path after the next lines of the log. */
export function addLines({ steps, from }: RunPath, lines: NumberedLogLine[]): RunPath {
  return { steps: lines.reduce(extendPath, steps), from: from === 0 ? (lines[0]?.number ?? 0) : from };
}

/** The path after older lines were read; `lines` = all that the page has now, without gaps. */
export function addOlderLines(path: RunPath, lines: NumberedLogLine[]): RunPath {
  const first = lines[0]?.number ?? path.from;
  return first < path.from ? addLines(NO_PATH, lines) : path;
}

type PathLogLine = Pick<LogLineAnswer, 'timestamp' | 'severity' | 'message' | 'stepID'>;

/** The path after a line of the log: the agent writes `started` when it enters a step. */
export function extendPath(path: PathStep[], line: PathLogLine): PathStep[] {
  const last = path.at(-1);
  if (line.message === `Step "${line.stepID}": started`) {
    const left = last ? [...path.slice(0, -1), leave(last, line.timestamp)] : path;
    const entered: PathStep = { step: line.stepID, startedAt: line.timestamp, leftAt: null, state: 'running' };
    return [...left, entered].slice(-MAX_STEPS);
  }
  if (line.severity !== 'ERROR' || last?.step !== line.stepID) return path;
  return [...path.slice(0, -1), { ...last, state: 'failed' }];
}

/** The path of a run that has ended: its last step ends with the run, and gets the state of that end if it was running. */
export function endPath(path: PathStep[], status: RunStatus, finishedAt: string): PathStep[] {
  const last = path.at(-1);
  if (!last) return path;
  const state = last.state === 'running' ? stateAtEnd(status) : last.state;
  return [...path.slice(0, -1), { ...last, leftAt: finishedAt, state }];
}

/** The state of the step that was running when the run ended with this status. */
export function stateAtEnd(status: RunStatus): PathStep['state'] {
  if (status === 'success' || status === 'terminated') return 'done';
  return status === 'error' ? 'failed' : 'stopped';
}

function leave(step: PathStep, leftAt: string): PathStep {
  return { ...step, leftAt, state: step.state === 'running' ? 'done' : step.state };
}
