import { Button, Group, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountAnswer } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { useAccount } from '../../api/session';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { PersonState, RoleText } from './person-state';
import { setPersonBlocked, peopleKeys, peopleQuery } from './queries';
import { ResetPasswordDialog } from './reset-password-dialog';

/** The accounts of the company. An administrator may block any account but their own, and reset its password. */
export function People() {
  const { t } = useTranslation(['company', 'common']);
  const [blocking, setBlocking] = useState<AccountAnswer>();
  const [resetting, setResetting] = useState<AccountAnswer>();
  const query = useInfiniteQuery(peopleQuery);
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t('people.title')}
      </Title>
      <Text c="dimmed" mb="sm">
        {t('people.what')}
      </Text>
      <DataTable
        label={t('people.title')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        columns={useColumns({ block: setBlocking, reset: setResetting })}
        empty={<EmptyState title={t('people.empty')} />}
      />
      {blocking && <BlockDialog person={blocking} onClose={() => setBlocking(undefined)} />}
      {resetting && <ResetPasswordDialog person={resetting} onClose={() => setResetting(undefined)} />}
    </section>
  );
}

function useColumns(actions: {
  block: (person: AccountAnswer) => void;
  reset: (person: AccountAnswer) => void;
}): Column<AccountAnswer>[] {
  const { t } = useTranslation('company');
  const self = useAccount().accountID;
  const blockText = ({ blocked }: AccountAnswer) => (blocked ? t('people.unblock') : t('people.block'));
  return [
    { key: 'name', title: t('people.name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
    { key: 'email', title: t('people.email'), render: ({ email }) => <span>{email}</span> },
    { key: 'role', title: t('people.role'), render: ({ role }) => <RoleText role={role} /> },
    { key: 'state', title: t('people.state'), render: (person) => <PersonState person={person} /> },
    { key: 'since', title: t('people.since'), render: ({ createdAt }) => <DateTime value={createdAt} /> },
    {
      key: 'actions',
      title: t('people.actions'),
      render: (person) =>
        person.id !== self && (
          <Group gap="xs">
            <Button
              size="xs"
              variant="default"
              aria-label={`${t('people.reset')}: ${person.name}`}
              onClick={() => actions.reset(person)}
            >
              {t('people.reset')}
            </Button>
            <Button
              size="xs"
              variant="default"
              aria-label={`${blockText(person)}: ${person.name}`}
              onClick={() => actions.block(person)}
            >
              {blockText(person)}
            </Button>
          </Group>
        ),
    },
  ];
}

function BlockDialog({ person, onClose }: { person: AccountAnswer; onClose: () => void }) {
  const { t } = useTranslation('company');
  const queryClient = useQueryClient();
  const block = useMutation({
    mutationFn: setPersonBlocked,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: peopleKeys.all });
      onClose();
    },
  });
  const { id, name, blocked } = person;
  return (
    <ConfirmDialog
      opened
      title={blocked ? t('people.unblockTitle', { name }) : t('people.blockTitle', { name })}
      confirm={blocked ? t('people.unblock') : t('people.block')}
      danger={!blocked}
      mutation={block}
      onConfirm={() => block.mutate({ id, blocked: !blocked })}
      onClose={onClose}
    >
      {blocked ? t('people.unblockText') : t('people.blockText')}
    </ConfirmDialog>
  );
}
