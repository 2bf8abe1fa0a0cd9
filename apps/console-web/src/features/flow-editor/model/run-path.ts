import type { LogLineAnswer } from '../../../api/generated/console-api';
import { logMessageOf } from '../../runs/run-log';
import { stateAtEnd, type PathStep } from '../../runs/run-path';
import { isActive, type RunStatus } from '../../runs/run-status';

export type PathLogLine = Pick<LogLineAnswer, 'timestamp' | 'severity' | 'message' | 'stepID' | 'evidence'>;

/** One visit of a step in a run; a loop visits a step several times. */
export interface Visit {
  step: string;
  /** `running` = the last visit in the path of a run that has not ended; `stopped` = the last one of a run that was stopped. */
  state: PathStep['state'];
  startedAt: string;
  /** The next step, when the log says that a route was taken. */
  next: string | undefined;
  /** The log lines of the step: values of rows, results and problems. The agent has hidden the secrets in them. */
  lines: PathLogLine[];
}

const STARTED = 'started';
const ROUTE_TAKEN_PATTERN = /^goes on to "(.*?)"(?:, because .* holds)?$/su;

/** The steps that a run took, in their order, from its log. Names and messages are data, so only whole messages are compared. */
export function visitsOf(lines: readonly PathLogLine[], status: RunStatus): Visit[] {
  const visits: Visit[] = [];
  for (const line of lines) {
    if (line.stepID === '') continue;
    const message = logMessageOf(line);
    const current = visits.at(-1);
    if (message === STARTED || current?.step !== line.stepID) {
      visits.push({
        step: line.stepID,
        state: 'running',
        startedAt: line.timestamp,
        next: undefined,
        lines: [],
      });
      if (message === STARTED) continue;
    }
    const visit = visits.at(-1);
    if (!visit) continue;
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

/** The routes that a run took from a step to the next one, and whether the step had failed. */
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
