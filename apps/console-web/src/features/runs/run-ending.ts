import type { RunAnswerItem } from '../../api/generated/console-api';
import { i18n } from '../../i18n/instance';
import { failureKind } from './failure-kind';
import { failureOf } from './failure-texts';
import { logMessageOf, type NumberedLogLine } from './run-log';

/** The fields of a run from which its ending follows; the run may still be active. */
export type EndingFields = Pick<RunAnswerItem, 'status' | 'outcome' | 'startedAt' | 'errorStep' | 'errorMessage'>;

/** How a run that failed or was stopped has ended, in the user's language. */
export interface RunEnding {
  title: string;
  /** What the ending means for the owner of the process. */
  meaning: string;
  /** The message of the failure, or why the run was stopped if nobody asked for it. */
  reason?: string;
  /** The step at which the run ended; undefined when it is unknown. */
  step?: string;
}

/** True for a run that failed or was stopped: the page shows a RunEnding, with what the account can do about it. */
export function isFailedOrStopped({ status }: Pick<RunAnswerItem, 'status'>): boolean {
  return status === 'error' || status === 'stopped';
}

/** How a run ended; undefined unless it failed or was stopped. `lastStep` = the last step that the log names. */
export function endingOf(run: EndingFields, lastStep: string | undefined): RunEnding | undefined {
  const step = run.errorStep || lastStep;
  if (!isFailedOrStopped(run)) return undefined;
  const texts = run.status === 'stopped' ? stoppedTexts(run, step) : failedTexts(run, step);
  return { ...texts, reason: failureOf(run)?.reason, step };
}

function failedTexts(run: EndingFields, step: string | undefined): Pick<RunEnding, 'title' | 'meaning'> {
  return { title: titleAt('failed', step), meaning: i18n.t(`runs:meanings.${kindOf(run)}`) };
}

function stoppedTexts({ startedAt }: EndingFields, step: string | undefined): Pick<RunEnding, 'title' | 'meaning'> {
  if (startedAt === null) return { title: i18n.t('runs:stoppedInQueue'), meaning: i18n.t('runs:meanings.nothingDone') };
  return { title: titleAt('stopped', step), meaning: i18n.t('runs:meanings.stopped') };
}

function titleAt(end: 'failed' | 'stopped', step: string | undefined): string {
  return step ? i18n.t(`runs:${end}At`, { step }) : i18n.t(`runs:${end}`);
}

function kindOf({ outcome, errorStep, errorMessage }: EndingFields) {
  const kind = failureKind(logMessageOf({ message: errorMessage ?? '', stepID: errorStep ?? '' }));
  return kind === 'other' && outcome === 'CRASHED' ? 'lost' : kind;
}

/**
 * The line of the log that tells the failure: the last error of the step, or else the last one of no step. An error of another step was
 * handled by its `onError`. Undefined when `lines` have no such line.
 */
export function failureLogLine(
  lines: readonly NumberedLogLine[],
  step: string | undefined,
): NumberedLogLine | undefined {
  const errors = lines.filter(({ severity }) => severity === 'ERROR');
  return errors.findLast(({ stepID }) => stepID === step) ?? errors.findLast(({ stepID }) => stepID === '');
}
