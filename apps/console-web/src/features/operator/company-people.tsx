import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AccountAnswer, CompanyAnswer } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { DataTable, type Column } from '../../common/data-table';
import { Dialog } from '../../common/dialog';
import { EmptyState } from '../../common/empty-state';
import { PersonState, RoleText } from '../company/person-state';
import { ResetPasswordDialog } from '../company/reset-password-dialog';
import { companyPeopleQuery } from './queries';

/** The accounts of a company, whose passwords an operator replaces, for instance that of its only administrator. */
export function CompanyPeopleDialog({ company, onClose }: { company: CompanyAnswer; onClose: () => void }) {
  const { t } = useTranslation(['operator', 'company']);
  const [resetting, setResetting] = useState<AccountAnswer>();
  const query = useInfiniteQuery(companyPeopleQuery(company.id));
  const columns = useColumns(setResetting);
  if (resetting) return <ResetPasswordDialog person={resetting} onClose={() => setResetting(undefined)} />;
  return (
    <Dialog opened onClose={onClose} size="xl" title={t('people.of', { name: company.name })}>
      <DataTable
        label={t('people.of', { name: company.name })}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        columns={columns}
        empty={<EmptyState title={t('company:people.empty')} text={t('people.emptyText')} />}
      />
    </Dialog>
  );
}

function useColumns(reset: (person: AccountAnswer) => void): Column<AccountAnswer>[] {
  const { t } = useTranslation('company');
  return [
    { key: 'name', title: t('people.name'), render: ({ name }) => <span>{name}</span> },
    { key: 'email', title: t('people.email'), render: ({ email }) => <span>{email}</span> },
    { key: 'role', title: t('people.role'), render: ({ role }) => <RoleText role={role} /> },
    { key: 'state', title: t('people.state'), render: (person) => <PersonState person={person} /> },
    {
      key: 'actions',
      title: t('people.actions'),
      render: (person) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`${t('people.reset')}: ${person.name}`}
          onClick={() => reset(person)}
        >
          {t('people.reset')}
        </Button>
      ),
    },
  ];
}
