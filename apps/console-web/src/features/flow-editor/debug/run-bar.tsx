import { Alert, Anchor, CloseButton, Group, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../../common/error-message';
import { StatusBadge, type Look } from '../../../common/status-badge';
import { failureOf } from '../../runs/failure-texts';
import { useEditor } from '../editor-context';
import type { useRun } from './use-run';

const LOOKS: Record<string, Look> = {
  queued: 'waiting',
  running: 'active',
  success: 'good',
  terminated: 'warning',
  stopped: 'warning',
  unknown: 'warning',
  error: 'bad',
};

/** The debug run that is shown: its state, its steps in order, and a way to its page. */
export function RunBar({
  iid,
  run,
  onClose,
}: {
  iid: string;
  run: ReturnType<typeof useRun>['run'];
  onClose: () => void;
}) {
  const { t } = useTranslation('flow-editor');
  const { visits, store } = useEditor();
  const status = run.data?.instance.status ?? 'queued';
  const failure = run.data && 'errorMessage' in run.data.instance ? failureOf(run.data.instance) : undefined;
  return (
    <Paper withBorder p="xs" component="section" aria-label={t('debug.runLabel')} className="run-bar">
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {t('debug.runLabel')}
          </Text>
          <span role="status">
            <StatusBadge look={LOOKS[status] ?? 'waiting'}>
              {t(`run.status.${status}`, { defaultValue: status })}
            </StatusBadge>
          </span>
          <Anchor size="sm" renderRoot={(props) => <Link to="/runs/$iid" params={{ iid }} {...props} />}>
            {t('debug.open')}
          </Anchor>
        </Group>
        <CloseButton size="sm" aria-label={t('debug.close')} onClick={onClose} />
      </Group>
      <ol className="run-visits">
        {visits.map((visit, index) => (
          <li key={`${visit.startedAt} ${index}`}>
            <button type="button" className={`run-step run-${visit.state}`} onClick={() => store.show(visit.step)}>
              {index + 1}. {visit.step}
              <span className="visually-hidden"> {t(`run.states.${visit.state}`, { order: index + 1 })}</span>
            </button>
          </li>
        ))}
      </ol>
      {run.error && <ErrorMessage error={run.error} />}
      {failure !== undefined && (
        <Alert color="red" p="xs" mt="xs" title={failure.title}>
          {failure.reason}
        </Alert>
      )}
    </Paper>
  );
}
