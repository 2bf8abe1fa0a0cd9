import { NumberInput, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type SubmitEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { CompanyAnswer } from '../../api/generated/console-api';
import { Dialog } from '../../common/dialog';
import { ErrorMessage } from '../../common/error-message';
import { showSuccessNotification } from '../../common/notify';
import { useFormats } from '../../i18n/formats';
import { ConfirmedSubmit } from './confirmed-submit';
import { correctCredits, operatorKeys } from './queries';

/** The bound of the API for the balance of a company and for a correction. */
const MAX_CREDITS = 1_000_000_000;

/** Sets the credits of a company or adds to them. The API executes a correction with the same id once, so that a repeated click is harmless. */
export function CorrectCreditsDialog({ company, onClose }: { company: CompanyAnswer; onClose: () => void }) {
  const { t } = useTranslation('operator');
  const formats = useFormats();
  const queryClient = useQueryClient();
  const [id, setID] = useState(() => crypto.randomUUID());
  const [way, setWay] = useState<'add' | 'set'>('add');
  const [amount, setAmount] = useState<number | string>('');
  const [reason, setReason] = useState('');
  const [isAsking, setAsking] = useState(false);
  const correct = useMutation({
    mutationFn: correctCredits,
    onSuccess: async ({ credits }) => {
      await queryClient.invalidateQueries({ queryKey: operatorKeys.companies });
      showSuccessNotification(t('correction.done', { count: credits, number: formats.number(credits) }));
      onClose();
    },
  });
  // A changed form is another correction and gets a new id; only the unchanged form sent again is a repetition.
  const change = (apply: () => void) => {
    apply();
    setAsking(false);
    setID(crypto.randomUUID());
    correct.reset();
  };
  const now = company.credits ?? 0;
  const balanceAfter = (typed: number) => (way === 'set' ? typed : now + typed);
  const isOutside = typeof amount === 'number' && (balanceAfter(amount) < 0 || balanceAfter(amount) > MAX_CREDITS);
  const isComplete = typeof amount === 'number' && !isOutside && reason.trim() !== '';
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!isComplete) return;
    if (isAsking) correct.mutate({ companyID: company.id, id, how: way, amount, reason });
    else setAsking(true);
  };
  const labels = { how: t('correction.how'), amount: t('correction.amount'), reason: t('correction.reason') };
  const question = isAsking &&
    isComplete && {
      title: t(`correction.question.${way === 'add' && amount < 0 ? 'take' : way}`, {
        name: company.name,
        count: Math.abs(amount),
        number: formats.number(Math.abs(amount)),
      }),
      text: t('correction.becomes', {
        now: formats.number(now),
        number: formats.number(balanceAfter(amount)),
      }),
    };
  return (
    <Dialog opened onClose={onClose} title={t('correction.correctOf', { name: company.name })}>
      <form onSubmit={submit} noValidate>
        <Stack>
          <Text>{t('correction.now', { number: formats.number(now) })}</Text>
          <SegmentedControl
            aria-label={labels.how}
            value={way}
            onChange={(value) => change(() => setWay(value === 'set' ? 'set' : 'add'))}
            data={[
              { value: 'add', label: t('correction.add') },
              { value: 'set', label: t('correction.set') },
            ]}
          />
          <NumberInput
            label={labels.amount}
            description={way === 'add' ? t('correction.amountWhat') : undefined}
            required
            allowDecimal={false}
            min={way === 'add' ? -MAX_CREDITS : 0}
            max={MAX_CREDITS}
            value={amount}
            error={
              isOutside &&
              t('correction.outside', {
                number: formats.number(balanceAfter(amount)),
                max: formats.number(MAX_CREDITS),
              })
            }
            onChange={(value) => change(() => setAmount(value))}
          />
          <TextInput
            label={labels.reason}
            description={t('correction.reasonWhat')}
            required
            maxLength={200}
            value={reason}
            onChange={({ currentTarget: { value } }) => change(() => setReason(value))}
          />
          {correct.error && <ErrorMessage error={correct.error} labels={labels} />}
          <ConfirmedSubmit
            submit={t('correction.save')}
            question={question || undefined}
            disabled={!isComplete}
            isPending={correct.isPending}
            onBack={() => setAsking(false)}
          />
        </Stack>
      </form>
    </Dialog>
  );
}
