import type { RunAnswerItem } from '../../api/generated/console-api';
import { failureOf } from './failure-texts';
import { StepLine } from './step-line';

/** Where and why a run failed, in one line, so that the user of a list sees which failures have the same cause. */
export function FailureLine({ run }: { run: RunAnswerItem }) {
  return <StepLine step={run.errorStep} reason={failureOf(run)?.reason} />;
}
