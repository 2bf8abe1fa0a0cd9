import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { KeyAnswer, ProcessAnswer } from '../../../api/generated/console-api';
import { itemsOf } from '../../../api/pages';
import { ConfirmDialog } from '../../../common/confirm-dialog';
import { DataTable, type Column } from '../../../common/data-table';
import { DateTime } from '../../../common/date-time';
import { Dialog } from '../../../common/dialog';
import { EmptyState } from '../../../common/empty-state';
import { StatusBadge } from '../../../common/status-badge';
import { AddKey } from '../keys/add-key';
import { keyStateOf } from '../keys/key-state';
import { keysQueryKey, keysQuery, revokeKey } from '../keys/queries';
import { StartRefusals } from '../../start-refusals/start-refusals';
import { StartSnippets } from '../keys/start-snippets';
import { NoPermission } from '../no-permission';
import { hasPermission } from '../process-access';
import { useProcess } from '../use-process';

export function ProcessKeys() {
  const process = useProcess();
  return hasPermission(process, 'api') ? <Keys process={process} /> : <NoPermission permission="api" />;
}

function Keys({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('processes');
  const { processID: pid, owned } = process;
  const [isAdding, adding] = useDisclosure(false);
  const [revoking, setRevoking] = useState<KeyAnswer>();
  const query = useInfiniteQuery(keysQuery(pid));
  const add = owned && (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('keys.add')}
    </Button>
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640}>
          {t('keys.what')}
        </Text>
        {add}
      </Group>
      <DataTable
        label={t('tabs.keys')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        columns={useColumns(setRevoking)}
        empty={<EmptyState title={t('keys.empty')} text={t(owned ? 'keys.emptyText' : 'keys.emptyShared')} />}
      />
      <Title order={2} size="h3" mt="md">
        {t('snippets.title')}
      </Title>
      <StartRefusals process={process} call="api" />
      <StartSnippets />
      <Dialog opened={isAdding} onClose={adding.close} size="lg" title={t('keys.add')}>
        <AddKey pid={pid} onClose={adding.close} />
      </Dialog>
      {revoking && <Revoke pid={pid} processKey={revoking} onClose={() => setRevoking(undefined)} />}
    </Stack>
  );
}

function useColumns(revoke: (key: KeyAnswer) => void): Column<KeyAnswer>[] {
  const { t } = useTranslation('processes');
  return [
    {
      key: 'identifier',
      title: t('keys.identifier'),
      render: ({ identifier }) => <Text fw={500}>{identifier}</Text>,
    },
    {
      key: 'state',
      title: t('state'),
      render: (key) => {
        const state = keyStateOf(key);
        return <StatusBadge look={state === 'valid' ? 'good' : 'bad'}>{t(`keys.states.${state}`)}</StatusBadge>;
      },
    },
    { key: 'created', title: t('keys.created'), render: ({ createdAt }) => <DateTime value={createdAt} /> },
    {
      key: 'expires',
      title: t('keys.expires'),
      render: ({ expiresAt }) => (expiresAt === null ? <span>{t('keys.never')}</span> : <DateTime value={expiresAt} />),
    },
    {
      key: 'revoke',
      title: t('keys.action'),
      render: (key) =>
        keyStateOf(key) === 'valid' && (
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('keys.revoke')}: ${key.identifier}`}
            onClick={() => revoke(key)}
          >
            {t('keys.revoke')}
          </Button>
        ),
    },
  ];
}

function Revoke({ pid, processKey, onClose }: { pid: string; processKey: KeyAnswer; onClose: () => void }) {
  const { t } = useTranslation('processes');
  const queryClient = useQueryClient();
  const revoke = useMutation({
    mutationFn: revokeKey,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: keysQueryKey(pid) });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      title={t('keys.revokeTitle', { identifier: processKey.identifier })}
      confirm={t('keys.revoke')}
      danger
      mutation={revoke}
      onConfirm={() => revoke.mutate(processKey.id)}
      onClose={onClose}
    >
      {t('keys.revokeText')}
    </ConfirmDialog>
  );
}
