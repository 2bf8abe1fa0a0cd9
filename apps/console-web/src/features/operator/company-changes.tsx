import { NativeSelect, Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { CompanyAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { changeCompany, operatorKeys, planChoicesQuery } from './queries';

interface CompanyProps {
  company: CompanyAnswer;
}

function useChange(onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: changeCompany,
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.companies });
      onDone();
    },
  });
}

/** Shows the plan of a company, and changes it after a question. */
export function PlanChoice({ company: { id, name, planId } }: CompanyProps) {
  const { t } = useTranslation('operator');
  const [chosen, setChosen] = useState<string>();
  const plans = useQuery(planChoicesQuery);
  const close = () => setChosen(undefined);
  const change = useChange(close);
  const nameOf = (wanted: string | undefined) => plans.data?.find((plan) => plan.id === wanted)?.name ?? '';
  return (
    <>
      <NativeSelect
        aria-label={`${t('companies.plan')}: ${name}`}
        value={planId}
        disabled={!plans.data}
        data={(plans.data ?? []).map((plan) => ({ value: plan.id, label: plan.name }))}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
      />
      {chosen !== undefined && (
        <ConfirmDialog
          opened
          title={t('companies.planTitle', { name, plan: nameOf(chosen) })}
          confirm={t('companies.planConfirm')}
          mutation={change}
          onConfirm={() => change.mutate({ id, planId: chosen })}
          onClose={close}
        >
          {t('companies.planText', { from: nameOf(planId) })}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Shows whether a company is suspended, and changes it after a question. */
export function SuspendSwitch({ company: { id, name, suspended } }: CompanyProps) {
  const { t } = useTranslation('operator');
  const [way, setWay] = useState<'suspend' | 'resume'>();
  const close = () => setWay(undefined);
  const change = useChange(close);
  return (
    <>
      <Switch
        aria-label={`${t('companies.suspended')}: ${name}`}
        checked={suspended}
        onChange={() => setWay(suspended ? 'resume' : 'suspend')}
      />
      {way !== undefined && (
        <ConfirmDialog
          opened
          title={t(`companies.${way}.title`, { name })}
          confirm={t(`companies.${way}.confirm`)}
          danger={way === 'suspend'}
          mutation={change}
          onConfirm={() => change.mutate({ id, suspended: way === 'suspend' })}
          onClose={close}
        >
          {t(`companies.${way}.text`)}
        </ConfirmDialog>
      )}
    </>
  );
}
