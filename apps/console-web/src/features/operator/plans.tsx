import { Button, Checkbox, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PlanAnswer, PlanInput } from '../../api/generated/console-api';
import { itemsOf } from '../../api/pages';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { applyError, focusRefused, required } from '../../common/form-errors';
import { useFormats } from '../../i18n/formats';
import {
  ChangeRetentionDialog,
  FOR_EVER,
  RETENTION_FIELDS,
  RetentionFields,
  retentionBodyOf,
} from './retention-fields';
import { addPlan, operatorKeys, plansQuery } from './queries';
import { Section } from './section';

const NEW_PLAN: Omit<PlanInput, (typeof RETENTION_FIELDS)[number]> = {
  name: '',
  apiAccess: true,
  scheduling: true,
  monthlyCredits: 1_000,
  logRetentionDays: 30,
  requestsPerMinute: 600,
};
const NEW_FORM = { ...NEW_PLAN, ...FOR_EVER };
const NUMBER_FIELDS = ['monthlyCredits', 'logRetentionDays', 'requestsPerMinute'] as const;
const FLAG_FIELDS = ['apiAccess', 'scheduling'] as const;

export function Plans() {
  const { t } = useTranslation('operator');
  const [changing, setChanging] = useState<PlanAnswer>();
  const query = useInfiniteQuery(plansQuery);
  return (
    <Section title={t('plans.title')} add={t('plans.add')} form={(close) => <AddPlan onClose={close} />}>
      <DataTable
        label={t('plans.title')}
        query={query}
        rows={itemsOf(query.data)}
        rowKey={({ id }) => id}
        columns={useColumns(setChanging)}
        empty={<EmptyState title={t('plans.empty')} text={t('plans.emptyText')} />}
      />
      {changing && <ChangeRetentionDialog plan={changing} onClose={() => setChanging(undefined)} />}
    </Section>
  );
}

function useColumns(change: (plan: PlanAnswer) => void): Column<PlanAnswer>[] {
  const { t } = useTranslation('operator');
  const formats = useFormats();
  return [
    { key: 'name', title: t('name'), render: ({ name }) => <Text fw={500}>{name}</Text> },
    ...NUMBER_FIELDS.map((field) => ({
      key: field,
      title: t(`plans.${field}`),
      render: (plan: PlanAnswer) => <span>{formats.number(plan[field])}</span>,
    })),
    ...RETENTION_FIELDS.map((field) => ({
      key: field,
      title: t(`plans.${field}`),
      render: ({ [field]: days }: PlanAnswer) => (
        <span>{days === null ? t('plans.forEver') : formats.number(days)}</span>
      ),
    })),
    ...FLAG_FIELDS.map((field) => ({
      key: field,
      title: t(`plans.${field}`),
      render: (plan: PlanAnswer) => <span>{plan[field] ? t('yes') : t('no')}</span>,
    })),
    {
      key: 'change',
      title: t('plans.change'),
      render: (plan) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`${t('plans.change')}: ${plan.name}`}
          onClick={() => change(plan)}
        >
          {t('plans.change')}
        </Button>
      ),
    },
  ];
}

function AddPlan({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('operator');
  const queryClient = useQueryClient();
  const form = useForm({
    mode: 'uncontrolled',
    initialValues: NEW_FORM,
    validate: { name: required, monthlyCredits: required, logRetentionDays: required, requestsPerMinute: required },
  });
  const add = useMutation({
    mutationFn: addPlan,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.plans });
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  const labels = {
    name: t('name'),
    ...Object.fromEntries([...NUMBER_FIELDS, ...RETENTION_FIELDS].map((field) => [field, t(`plans.${field}`)])),
  };
  return (
    <form
      onSubmit={form.onSubmit((plan) => add.mutate({ ...plan, ...retentionBodyOf(plan) }), focusRefused)}
      noValidate
    >
      <Stack>
        <TextInput label={t('name')} required data-autofocus key={form.key('name')} {...form.getInputProps('name')} />
        {NUMBER_FIELDS.map((field) => (
          <NumberInput
            label={t(`plans.${field}`)}
            required
            min={0}
            allowDecimal={false}
            key={form.key(field)}
            {...form.getInputProps(field)}
          />
        ))}
        <RetentionFields inputOf={(field) => ({ key: form.key(field), props: form.getInputProps(field) })} />
        {FLAG_FIELDS.map((field) => (
          <Checkbox
            label={t(`plans.${field}`)}
            key={form.key(field)}
            {...form.getInputProps(field, { type: 'checkbox' })}
          />
        ))}
        {add.error && <ErrorMessage error={add.error} labels={labels} />}
        <FormButtons submit={t('submit')} isPending={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
