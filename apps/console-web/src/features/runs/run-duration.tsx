import { useTranslation } from 'react-i18next';
import type { RunAnswerItem } from '../../api/generated/console-api';
import { useSecond } from '../../common/use-second';
import { useFormats } from '../../i18n/formats';
import { durationSoFar } from './duration-so-far';

/** How long an ended run took, or the time so far of one that runs; a dash for a run that has not started. */
export function RunDuration({ run }: { run: RunAnswerItem }) {
  const formats = useFormats();
  if (run.status === 'running') return <TimeSoFar run={run} />;
  return <span>{run.durationMs === null ? '–' : formats.duration(run.durationMs)}</span>;
}

function TimeSoFar({ run }: { run: RunAnswerItem }) {
  const { t } = useTranslation('runs');
  const formats = useFormats();
  const milliseconds = durationSoFar(run, useSecond());
  if (milliseconds === undefined) return <span>–</span>;
  // Screen readers do not announce the changes of a timer.
  return <span role="timer">{t('soFar', { duration: formats.duration(milliseconds) })}</span>;
}
