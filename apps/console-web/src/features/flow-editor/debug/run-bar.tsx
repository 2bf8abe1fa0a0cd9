import { Alert, Anchor, CloseButton, Group, Paper, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../../common/error-message';
import { failureOf } from '../../runs/failure-texts';
import { queueMessageText } from '../../runs/queue-reason';
import { RunControls } from '../../runs/run-controls';
import { RunStatusBadge } from '../../runs/run-status-badge';
import { useEditor } from '../editor-context';
import type { useDebugRun } from './use-debug-run';

/** A bar with the debug run that is shown: its status, controls, visited steps in order and failure, and a link to its page. */
export function RunBar({
  iid,
  run,
  onClose,
}: {
  iid: string;
  run: ReturnType<typeof useDebugRun>['run'];
  onClose: () => void;
}) {
  const { t } = useTranslation(['flow-editor', 'runs']);
  const { visits, store } = useEditor();
  const instance = run.data?.instance;
  const queue = instance?.status === 'queued' && 'queue' in instance ? instance.queue : undefined;
  const failure = instance && 'errorMessage' in instance ? failureOf(instance) : undefined;
  return (
    <Paper withBorder p="xs" component="section" aria-label={t('debug.runLabel')} className="run-bar">
      <Group gap="xs" justify="space-between" wrap="nowrap" align="flex-start">
        <Group gap="xs">
          <Text size="sm" fw={600}>
            {t('debug.runLabel')}
          </Text>
          <span role="status">
            <RunStatusBadge run={instance ?? { status: 'queued' }} />
          </span>
          {instance && <RunControls run={instance} size="compact-xs" />}
          <Anchor size="sm" renderRoot={(props) => <Link to="/runs/$iid" params={{ iid }} {...props} />}>
            {t('debug.open')}
          </Anchor>
        </Group>
        <CloseButton size="sm" aria-label={t('debug.close')} onClick={onClose} />
      </Group>
      {/* The element is always there, because screen readers announce changes of a status and not its appearance. */}
      <Text size="sm" role="status">
        {queue && !run.error && `${t(`runs:queue.reasons.${queue.reason}`)} ${queueMessageText(queue.message ?? '')}`}
      </Text>
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
