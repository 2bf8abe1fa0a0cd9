import type { LogLineAnswer } from '../../../api/generated/console-api';
import { logMessageOf } from '../../runs/run-log';
import { stateAtEnd, type PathStep } from '../../runs/run-path';
import { isActive, type RunStatus } from '../../runs/run-status';

export type PathLogLine = Pick<LogLineAnswer, 'timestamp' | 'severity' | 'message' | 'stepID' | 'evidence'>;

/** One visit of a step in a run; a loop visits a step several times. */
export interface Visit {
  step: string;
  /**
   * `failed` = the step has written an error. `running` = the last visit of a run that has not ended. Without an error, the last visit of an
   * ended run has the state that the status of the run gives, and every earlier visit is `done`.
   */
  state: PathStep['state'];
  /** The time of the visit's first log line, as the API gives it. */
  startedAt: string;
  /** The step to which the taken route leads; undefined while the log says nothing of a route. */
  next: string | undefined;
  /** The log lines of the visit after `started`, without the prefix that names the step. The agent has hidden the secrets in them. */
  lines: PathLogLine[];
}

/** The message that the agent writes when it enters a step. */
const STARTED = 'started';
/** The message of the agent about a taken route. */
const ROUTE_TAKEN_PATTERN = /^goes on to "(.*?)"(?:, because .* holds)?$/su;

/**
 * The visits of a run in their order, from its log, oldest line first. A message may contain any text, so only whole messages are compared
 * with those of the agent.
 */
export function visitsOf(lines: readonly PathLogLine[], status: RunStatus): Visit[] {
  const visits: Visit[] = [];
  /** The visit that a line about the whole execution has begun, such as that of a pause before the step. */
  let notStarted: Visit | undefined;
  for (const line of lines) {
    if (line.stepID === '') continue;
    const message = logMessageOf(line);
    const current = visits.at(-1);
    const isStart = message === STARTED;
    if (isStart && current && current === notStarted && current.step === line.stepID) {
      notStarted = undefined;
      continue;
    }
    if (isStart || current?.step !== line.stepID) {
      visits.push({
        step: line.stepID,
        state: 'running',
        startedAt: line.timestamp,
        next: undefined,
        lines: [],
      });
      // A line about the whole execution does not name its step.
      notStarted = message === line.message ? visits.at(-1) : undefined;
      if (isStart) continue;
    }
    const visit = visits.at(-1);
    if (!visit) continue;
    // A line that names the step shows that the visit has started, so the next `started` begins another one.
    if (message !== line.message) notStarted = undefined;
    visit.lines.push({ ...line, message });
    if (line.severity === 'ERROR') visit.state = 'failed';
    visit.next = ROUTE_TAKEN_PATTERN.exec(message)?.[1] ?? visit.next;
  }
  return visits.map((visit, index) => {
    const isLast = index === visits.length - 1;
    if (visit.state !== 'running' || (isLast && isActive(status))) return visit;
    return { ...visit, state: isLast ? stateAtEnd(status) : 'done' };
  });
}

/** The routes that a run took: for each visit but the last the next step, and whether the step had failed. */
export function takenRoutes(visits: readonly Visit[]): { from: string; to: string; afterFailure: boolean }[] {
  return visits.slice(1).flatMap((visit, index) => {
    const from = visits[index];
    return from
      ? [
          {
            from: from.step,
            to: visit.step,
            afterFailure: from.state === 'failed',
          },
        ]
      : [];
  });
}
