import { Alert, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../../api/error';
import { ConfirmDialog } from '../../../common/confirm-dialog';
import { DateTime } from '../../../common/date-time';
import { EmptyState } from '../../../common/empty-state';
import { ErrorPage } from '../../../common/error-page';
import { showErrorNotification } from '../../../common/notify';
import { PendingRead } from '../../../common/pending-read';
import { StatusBadge } from '../../../common/status-badge';
import { readDraft, type DraftFlow } from '../../../flow/draft';
import { FlowView } from '../../flow-editor/flow-view';
import { readFlow } from '../../flow-editor/queries';
import { hasUnsavedFlow, storeFor } from '../../flow-editor/stores';
import { NoPermission } from '../no-permission';
import { useKeptPermission } from '../use-kept-permission';
import { useProcess } from '../use-process';
import { versionQuery } from '../versions/queries';

/** A published version with its flow. The flow cannot be changed here, but it can be taken into the editor. */
export function ProcessVersion() {
  const process = useProcess();
  if (!useKeptPermission(process, 'edit')) return <NoPermission permission="edit" />;
  return <Version pid={process.processID} current={process.currentVersion} />;
}

function Version({ pid, current }: { pid: string; current: number }) {
  const { t } = useTranslation('processes');
  const { version } = useParams({ from: '/processes/$pid/versions/$version' });
  const query = useQuery(versionQuery(pid, Number(version)));
  if (query.isPending) return <PendingRead failure={query.failureReason} height={300} />;
  if (!query.data) {
    // The API refuses a version that is no number, or is above every version, with BAD_REQUEST.
    const isMissing = ['NOT_FOUND', 'BAD_REQUEST'].includes(CallError.from(query.error).code);
    if (isMissing) return <EmptyState title={t('versions.gone')} action={<AllVersions pid={pid} />} />;
    return <ErrorPage error={query.error} reset={() => void query.refetch()} />;
  }
  const { publishedAt, publishedBy } = query.data;
  const drawn = readDraft(query.data.flow);
  return (
    <Stack>
      <AllVersions pid={pid} />
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Title order={2} size="h3">
              {t('versions.numbered', { version })}
            </Title>
            {Number(version) === current && <StatusBadge look="good">{t('versions.inUse')}</StatusBadge>}
          </Group>
          <Text c="dimmed">
            <DateTime value={publishedAt} />
            {publishedBy && ` · ${publishedBy}`}
          </Text>
        </div>
        {'flow' in drawn && <Restore pid={pid} version={version} flow={drawn.flow} />}
      </Group>
      {'flow' in drawn ? <FlowView flow={drawn.flow} /> : <Alert color="orange">{t('versions.notDrawable')}</Alert>}
    </Stack>
  );
}

function AllVersions({ pid }: { pid: string }) {
  const { t } = useTranslation('processes');
  return (
    <Anchor
      underline="always"
      renderRoot={(props) => <Link to="/processes/$pid/versions" params={{ pid }} {...props} />}
    >
      {t('versions.all')}
    </Anchor>
  );
}

/** A button that opens the flow editor with the flow of the version, as an edit that can be undone and is not saved yet. */
function Restore({ pid, version, flow }: { pid: string; version: string; flow: DraftFlow }) {
  const { t } = useTranslation('processes');
  const navigate = useNavigate({ from: '/processes/$pid/versions/$version' });
  const [isAsking, asking] = useDisclosure(false);
  const restore = useMutation({
    mutationFn: async () => storeFor(pid, (await readFlow(pid)).flow).replace(flow),
    onSuccess: () => navigate({ to: '/processes/$pid/flow', params: { pid } }),
    onError: (error) => {
      if (!isAsking) showErrorNotification(error);
    },
  });
  return (
    <>
      <Button
        variant="default"
        loading={restore.isPending}
        onClick={() => (hasUnsavedFlow(pid) ? asking.open() : restore.mutate())}
      >
        {t('versions.restore')}
      </Button>
      <ConfirmDialog
        opened={isAsking}
        title={t('versions.restoreTitle', { version })}
        confirm={t('versions.restoreConfirm')}
        danger
        mutation={restore}
        onConfirm={() => restore.mutate()}
        onClose={asking.close}
      >
        {t('versions.restoreText', { version })}
      </ConfirmDialog>
    </>
  );
}
