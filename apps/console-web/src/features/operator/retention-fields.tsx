import { NumberInput, Stack, type NumberInputProps } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { PlanAnswer } from '../../api/generated/console-api';
import { isEmpty, useChangesOf } from '../../common/concurrent-edit';
import { Dialog } from '../../common/dialog';
import { ErrorMessage } from '../../common/error-message';
import { applyError } from '../../common/form-errors';
import { showSuccessNotification } from '../../common/notify';
import { ConfirmedSubmit } from './confirmed-submit';
import { changePlan, operatorKeys, readPlan } from './queries';

export const RETENTION_FIELDS = ['auditDays', 'ledgerDays'] as const;
/** The bounds of the API, both included. */
const [MIN_DAYS, MAX_DAYS] = [30, 3_650];

/** The days of a form: a number, or an empty text for `for ever`. */
export type RetentionValues = Record<(typeof RETENTION_FIELDS)[number], number | string>;

export const FOR_EVER: RetentionValues = { auditDays: '', ledgerDays: '' };

/** The days in the form of the API: null = `for ever`. A text that is no number becomes 0, which the API refuses. */
export function retentionBodyOf({ auditDays, ledgerDays }: RetentionValues) {
  const toAPI = (days: number | string) => (days === '' ? null : Number(days) || 0);
  return { auditDays: toAPI(auditDays), ledgerDays: toAPI(ledgerDays) };
}

interface RetentionFieldsProps {
  /** The properties of the input of a field, from its form. */
  inputOf: (field: (typeof RETENTION_FIELDS)[number]) => { key: string; props: NumberInputProps };
}

/** How long audit events and ledger entries are kept; empty = for ever. */
export function RetentionFields({ inputOf }: RetentionFieldsProps) {
  const { t } = useTranslation('operator');
  return RETENTION_FIELDS.map((field) => {
    const { key, props } = inputOf(field);
    return (
      <NumberInput
        label={t(`plans.${field}`)}
        description={t(`plans.${field}What`)}
        placeholder={t('plans.forEver')}
        min={MIN_DAYS}
        max={MAX_DAYS}
        clampBehavior="none"
        allowDecimal={false}
        key={key}
        {...props}
      />
    );
  });
}

function daysOf({ auditDays, ledgerDays }: PlanAnswer) {
  return { auditDays, ledgerDays };
}

/** Whether the plan would keep a kind of record for fewer days than now, so that older records are deleted. */
function isRetentionShorter(
  plan: Pick<PlanAnswer, (typeof RETENTION_FIELDS)[number]>,
  values: RetentionValues,
): boolean {
  const wanted = retentionBodyOf(values);
  return RETENTION_FIELDS.some((field) => (wanted[field] ?? Infinity) < (plan[field] ?? Infinity));
}

/** Changes how long the companies with the plan keep their audit events and ledger entries. */
export function ChangeRetentionDialog({ plan, onClose }: { plan: PlanAnswer; onClose: () => void }) {
  const { t } = useTranslation('operator');
  const queryClient = useQueryClient();
  const initialValues: RetentionValues = { auditDays: plan.auditDays ?? '', ledgerDays: plan.ledgerDays ?? '' };
  const [isAsking, setAsking] = useState(false);
  const form = useForm({ mode: 'uncontrolled', initialValues, onValuesChange: () => setAsking(false) });
  const changesOf = useChangesOf(daysOf(plan), async () => daysOf(await readPlan(plan.id)));
  const change = useMutation({
    mutationFn: async (values: RetentionValues) => {
      const fields = await changesOf(retentionBodyOf(values));
      if (!isEmpty(fields)) await changePlan({ id: plan.id, ...fields });
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.plans });
      showSuccessNotification(t('plans.changed'));
      onClose();
    },
    onError: (error) => applyError(form, error),
  });
  const labels = { auditDays: t('plans.auditDays'), ledgerDays: t('plans.ledgerDays') };
  return (
    <Dialog opened onClose={onClose} title={t('plans.keptOf', { name: plan.name })}>
      <form
        onSubmit={form.onSubmit((days) => {
          if (isAsking || !isRetentionShorter(plan, days)) change.mutate(days);
          else setAsking(true);
        })}
        noValidate
      >
        <Stack>
          <RetentionFields inputOf={(field) => ({ key: form.key(field), props: form.getInputProps(field) })} />
          {change.error && <ErrorMessage error={change.error} labels={labels} />}
          <ConfirmedSubmit
            submit={t('plans.save')}
            question={
              isAsking ? { title: t('plans.fewer', { name: plan.name }), text: t('plans.fewerText') } : undefined
            }
            isPending={change.isPending}
            onBack={() => setAsking(false)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
