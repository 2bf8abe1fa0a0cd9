import { Button, NativeSelect, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconRefresh } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { CallError } from '../../api/error';
import type { RunAnswerItem, StartedValueAnswer } from '../../api/generated/console-api';
import { Dialog } from '../../common/dialog';
import { ErrorMessage } from '../../common/error-message';
import { FormButtons } from '../../common/form-buttons';
import { focusMarkedIn } from '../../common/form-errors';
import { PasswordField } from '../../common/password-field';
import { refusalText } from '../../common/refusal-text';
import { EnvironmentChoice } from '../processes/run/environment-choice';
import { CURRENCY_SYMBOL } from '../processes/shown-value';
import { changedValues, initialTexts, missingSecrets, offeredValues } from './changed-values';
import { rerun, runKeys } from './queries';

const LONG_TYPES = ['Lista', 'Objeto'];

interface RerunProps {
  run: RunAnswerItem;
  /** The values of the start; null when they are not kept, as of a debug run or after the log was deleted, or cannot be read. */
  values: StartedValueAnswer[] | null;
}

/** A button and the dialog that starts the process again with the values of this run, which the user may change first. */
export function Rerun({ run, values }: RerunProps) {
  const { t } = useTranslation(['runs', 'common']);
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button leftSection={<IconRefresh size={16} aria-hidden />} onClick={dialog.open}>
        {t('rerun.open')}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={t('rerun.title')} size="lg">
        {values === null ? (
          <Text>{t('rerun.notKept')}</Text>
        ) : (
          <RerunForm run={run} values={offeredValues(values)} onClose={dialog.close} />
        )}
      </Dialog>
    </>
  );
}

interface RerunFormProps {
  run: RunAnswerItem;
  /** Without those of variables that the process no longer has. */
  values: StartedValueAnswer[];
  onClose: () => void;
}

function RerunForm({ run, values, onClose }: RerunFormProps) {
  const { t } = useTranslation(['runs', 'common']);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [initial] = useState(() => initialTexts(values));
  const [texts, setTexts] = useState(initial);
  const [missing, setMissing] = useState<string[]>([]);
  const [environmentID, setEnvironmentID] = useState('');
  const again = useMutation({
    mutationFn: rerun,
    // The mutation holds the typed Secretos, so the cache drops it as soon as the dialog is closed.
    gcTime: 0,
    onSuccess: async ({ instanceID }) => {
      void queryClient.invalidateQueries({ queryKey: runKeys.all });
      onClose();
      await navigate({ to: '/runs/$iid', params: { iid: instanceID } });
    },
  });
  const refused = again.error instanceof CallError ? again.error.field : undefined;
  const errorOf = (name: string) => {
    if (missing.includes(name)) return t('rerun.secretMissing');
    return refused?.path === name ? refusalText(refused.text) : undefined;
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const left = missingSecrets(values, texts);
    setMissing(left);
    if (left.length > 0) {
      focusMarkedIn(event.target);
      return;
    }
    const environment = environmentID === '' ? {} : { environmentID };
    again.mutate({ iid: run.instanceID, matrix: changedValues(texts, initial), ...environment });
  };
  return (
    <form onSubmit={submit} noValidate autoComplete="off">
      <Stack>
        <Text>{values.length === 0 ? t('rerun.noValues') : t('rerun.text')}</Text>
        {values.map((value) => (
          <ValueField
            key={value.name}
            value={value}
            text={texts[value.name] ?? ''}
            isEmpty={initial[value.name] === ''}
            error={errorOf(value.name)}
            onChange={(text) => setTexts((before) => ({ ...before, [value.name]: text }))}
          />
        ))}
        <EnvironmentChoice
          label={t('facts.environment')}
          preset={run.environmentID}
          textOfPreset={(name) => (name === undefined ? t('rerun.sameEnvironment') : t('rerun.inSame', { name }))}
          value={environmentID}
          error={refused?.path === 'environmentID' ? refusalText(refused.text) : undefined}
          onChange={setEnvironmentID}
        />
        {again.error && <ErrorMessage error={again.error} />}
        <FormButtons submit={t('rerun.submit')} isPending={again.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

interface ValueFieldProps {
  value: StartedValueAnswer;
  text: string;
  /** True when the repeated run had no value of this variable, so that a choice offers an empty one. */
  isEmpty: boolean;
  error: string | undefined;
  onChange: (text: string) => void;
}

function ValueField({ value: { name, type, secret }, text, isEmpty, error, onChange }: ValueFieldProps) {
  const { t } = useTranslation('runs');
  const field = { label: name, description: type, value: text, error };
  if (type === 'Secreto') {
    return (
      <PasswordField
        {...field}
        description={secret ? t('rerun.secretAgain') : type}
        required={secret === true}
        autoComplete="new-password"
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      />
    );
  }
  if (type === 'Verdadeiro/Falso') {
    const data = [
      ...(isEmpty ? [{ value: '', label: t('values.empty') }] : []),
      { value: 'true', label: t('values.yes') },
      { value: 'false', label: t('values.no') },
    ];
    return <NativeSelect {...field} data={data} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
  }
  const symbol = type === 'Moeda' ? { leftSection: CURRENCY_SYMBOL } : {};
  const Input = LONG_TYPES.includes(type) || text.includes('\n') ? Textarea : TextInput;
  const long = Input === Textarea && { autosize: true, minRows: 2, maxRows: 12 };
  return <Input {...field} {...symbol} {...long} onChange={({ currentTarget }) => onChange(currentTarget.value)} />;
}
