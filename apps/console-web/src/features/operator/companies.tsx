import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CompanyAnswer } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { useChoiceError } from '../../common/choice-error';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, required, translatedText } from '../../common/form-errors';
import { useFormats } from '../../i18n/formats';
import { PlanChoice, SuspendSwitch } from './company-changes';
import { CompanyPeopleDialog } from './company-people';
import { CorrectCreditsDialog } from './correct-credits';
import { AddPerson } from '../company/add-person';
import { addCompany, companiesQuery, operatorKeys, planChoicesQuery } from './queries';
import { Section } from './section';

export function Companies() {
  const { t } = useTranslation('operator');
  const [correctingID, setCorrectingID] = useState<string>();
  const [shown, setShown] = useState<CompanyAnswer>();
  const query = useInfiniteQuery(companiesQuery);
  const companies = itemsOf(query.data);
  const correcting = companies.find(({ id }) => id === correctingID);
  const correct = ({ id }: CompanyAnswer) => {
    setCorrectingID(id);
    // The form checks a correction against the balance, which a run or another operator may have changed.
    void query.refetch();
  };
  return (
    <Section title={t('companies.title')} add={t('companies.add')} form={(close) => <AddCompany onClose={close} />}>
      <DataTable
        label={t('companies.title')}
        query={query}
        rows={companies}
        rowKey={({ id }) => id}
        columns={useColumns({ correct, showPeople: setShown })}
        empty={<EmptyState title={t('companies.empty')} text={t('companies.emptyText')} />}
      />
      {correcting && <CorrectCreditsDialog company={correcting} onClose={() => setCorrectingID(undefined)} />}
      {shown && <CompanyPeopleDialog company={shown} onClose={() => setShown(undefined)} />}
    </Section>
  );
}

function useColumns({
  correct,
  showPeople,
}: {
  correct: (company: CompanyAnswer) => void;
  showPeople: (company: CompanyAnswer) => void;
}): Column<CompanyAnswer>[] {
  const { t } = useTranslation(['operator', 'company']);
  const formats = useFormats();
  return [
    { key: 'name', title: t('name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
    { key: 'plan', title: t('companies.plan'), render: (company) => <PlanChoice company={company} /> },
    {
      key: 'credits',
      title: t('companies.credits'),
      render: (company) => (
        <Group gap="xs" wrap="nowrap">
          <span style={{ whiteSpace: 'nowrap' }}>
            {company.credits === undefined ? '–' : formats.number(company.credits)}
          </span>
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('correction.correct')}: ${company.name}`}
            onClick={() => correct(company)}
          >
            {t('correction.correct')}
          </Button>
        </Group>
      ),
    },
    { key: 'since', title: t('companies.since'), render: ({ createdAt }) => <DateTime value={createdAt} /> },
    { key: 'suspended', title: t('companies.suspended'), render: (company) => <SuspendSwitch company={company} /> },
    {
      key: 'people',
      title: t('company:people.title'),
      render: (company) => (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            aria-label={`${t('people.show')}: ${company.name}`}
            onClick={() => showPeople(company)}
          >
            {t('people.show')}
          </Button>
          <AddPerson companyID={company.id} companyName={company.name} />
        </Group>
      ),
    },
  ];
}

function AddCompany({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('operator');
  const queryClient = useQueryClient();
  const plans = useQuery(planChoicesQuery);
  const choiceError = useChoiceError(plans);
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: { name: '', planId: '' },
    validate: { name: required, planId: (id) => (id === '' ? translatedText('operator:companies.planMissing') : null) },
  });
  const add = useMutation({
    mutationFn: addCompany,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.companies });
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  return (
    <form onSubmit={form.onSubmit((company) => add.mutate(company), focusRefused)} noValidate>
      <Stack>
        <TextInput label={t('name')} required data-autofocus key={form.key('name')} {...form.getInputProps('name')} />
        <NativeSelect
          label={t('companies.plan')}
          required
          data={[
            { value: '', label: t('companies.choose') },
            ...(plans.data ?? []).map((plan) => ({ value: plan.id, label: plan.name })),
          ]}
          key={form.key('planId')}
          {...form.getInputProps('planId')}
          error={form.errors['planId'] ?? choiceError}
        />
        {add.error && <ErrorMessage error={add.error} labels={{ name: t('name'), planId: t('companies.plan') }} />}
        <FormButtons submit={t('submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
