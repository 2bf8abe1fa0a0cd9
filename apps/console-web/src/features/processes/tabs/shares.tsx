import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer, ShareAnswer } from '../../../api/generated/console-api';
import { ConfirmDialog } from '../../../common/confirm-dialog';
import { DataTable, type Column } from '../../../common/data-table';
import { Dialog } from '../../../common/dialog';
import { EmptyState } from '../../../common/empty-state';
import { NoPermission } from '../no-permission';
import { PERMISSIONS } from '../process-access';
import { removeShare, sharesQueryKey, sharesQuery } from '../shares/queries';
import { ShareForm } from '../shares/share-form';
import { useKeptPermission } from '../use-kept-permission';
import { useProcess } from '../use-process';

/** The open dialog of the tab: add, change or remove a share. */
type OpenDialog = { add: true } | { change: ShareAnswer } | { remove: ShareAnswer };

export function ProcessShares() {
  const process = useProcess();
  return useKeptPermission(process, 'share') ? <Shares process={process} /> : <NoPermission permission="share" />;
}

function Shares({ process }: { process: ProcessAnswer }) {
  const { t } = useTranslation('processes');
  const [dialog, setDialog] = useState<OpenDialog>();
  const close = () => setDialog(undefined);
  const shares = useInfiniteQuery(sharesQuery(process.processID));
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={() => setDialog({ add: true })}>
      {t('shares.add')}
    </Button>
  );
  const isForm = dialog !== undefined && !('remove' in dialog);
  const changing = isForm && 'change' in dialog ? dialog.change : undefined;
  return (
    <Stack>
      <Group justify="space-between" align="flex-start">
        <Text c="dimmed" maw={640}>
          {t('shares.what')}
        </Text>
        {add}
      </Group>
      <DataTable
        label={t('tabs.shares')}
        query={shares}
        rows={shares.data?.pages.flatMap((page) => page.shares) ?? []}
        rowKey={({ email }) => email}
        columns={useColumns(setDialog)}
        empty={<EmptyState title={t('shares.empty')} text={t('shares.emptyText')} />}
      />
      {isForm && (
        <Dialog onClose={close} title={t(changing ? 'shares.change' : 'shares.add')}>
          <ShareForm process={process} share={changing} onClose={close} />
        </Dialog>
      )}
      {dialog !== undefined && 'remove' in dialog && (
        <Remove pid={process.processID} email={dialog.remove.email} onClose={close} />
      )}
    </Stack>
  );
}

function useColumns(open: (dialog: OpenDialog) => void): Column<ShareAnswer>[] {
  const { t } = useTranslation('processes');
  return [
    {
      key: 'person',
      title: t('shares.person'),
      render: ({ email, name }) => (
        <div style={{ overflowWrap: 'anywhere' }}>
          <Text fw={500}>{name || email}</Text>
          {name && (
            <Text size="sm" c="dimmed">
              {email}
            </Text>
          )}
        </div>
      ),
    },
    {
      key: 'permissions',
      title: t('shares.may'),
      render: ({ permissions }) => (
        <Group gap={4}>
          {PERMISSIONS.filter((permission) => permissions[permission]).map((permission) => (
            <Badge key={permission} variant="outline" tt="none">
              {t(`shares.permissions.${permission}.name`)}
            </Badge>
          ))}
          {PERMISSIONS.every((permission) => !permissions[permission]) && <span>{t('shares.readOnly')}</span>}
        </Group>
      ),
    },
    {
      key: 'actions',
      title: t('keys.action'),
      render: (share) => (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('shares.change')}: ${share.email}`}
            onClick={() => open({ change: share })}
          >
            {t('shares.change')}
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('shares.remove')}: ${share.email}`}
            onClick={() => open({ remove: share })}
          >
            {t('shares.remove')}
          </Button>
        </Group>
      ),
    },
  ];
}

function Remove({ pid, email, onClose }: { pid: string; email: string; onClose: () => void }) {
  const { t } = useTranslation('processes');
  const queryClient = useQueryClient();
  const remove = useMutation({
    mutationFn: () => removeShare(pid, email),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: sharesQueryKey(pid) });
      onClose();
    },
  });
  return (
    <ConfirmDialog
      opened
      danger
      title={t('shares.removeTitle', { email })}
      confirm={t('shares.remove')}
      mutation={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {t('shares.removeText')}
    </ConfirmDialog>
  );
}
