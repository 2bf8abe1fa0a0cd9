import { Button, Group, Modal, NativeSelect, NumberInput, Stack, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { ErrorMessage } from '../../../common/error-message';
import { applyError } from '../../../common/form-errors';
import { showSuccessNotification } from '../../../common/notify';
import { environmentChoicesQuery } from '../queries';
import { useProcessChange } from './use-process-change';

interface ProcessFormProps {
  process: ProcessAnswer;
  onClose: () => void;
}

export function ProcessFormDialog({ opened, ...props }: ProcessFormProps & { opened: boolean }) {
  const { t } = useTranslation(['processes', 'common']);
  return (
    <Modal
      opened={opened}
      onClose={props.onClose}
      title={t('overview.edit')}
      closeButtonProps={{ 'aria-label': t('common:actions.close') }}
    >
      <ProcessForm {...props} />
    </Modal>
  );
}

function ProcessForm({ process, onClose }: ProcessFormProps) {
  const { t, i18n } = useTranslation(['processes', 'common']);
  const change = useProcessChange(process.processID);
  const { processName, description, avgHumanTime, avgOperatorCost } = process;
  const form = useForm({
    mode: 'controlled',
    initialValues: {
      processName,
      description,
      environmentID: process.environmentID ?? '',
      avgHumanTime,
      avgOperatorCost,
    },
    validate: {
      processName: (name) => (name.trim() === '' ? t('add.nameMissing') : null),
      avgHumanTime: (time) => (/^\d{2,3}:[0-5]\d:[0-5]\d$/.test(time) ? null : t('overview.humanTimeHow')),
    },
  });
  const submit = form.onSubmit(({ environmentID, avgOperatorCost: cost, ...values }) =>
    change.mutate(
      { ...values, environmentID: environmentID || null, avgOperatorCost: cost || 0 },
      {
        onError: (error) => applyError(form, error),
        onSuccess: () => {
          onClose();
          showSuccessNotification(t('overview.changed'));
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <TextInput
          label={t('columns.name')}
          required
          data-autofocus
          maxLength={120}
          key={form.key('processName')}
          {...form.getInputProps('processName')}
        />
        <Textarea
          label={t('description')}
          autosize
          minRows={2}
          maxLength={2_000}
          key={form.key('description')}
          {...form.getInputProps('description')}
        />
        <EnvironmentSelect registered={process.environmentID} {...form.getInputProps('environmentID')} />
        <TextInput
          label={t('overview.humanTime')}
          description={t('overview.humanTimeHow')}
          key={form.key('avgHumanTime')}
          {...form.getInputProps('avgHumanTime')}
        />
        <NumberInput
          label={t('overview.cost')}
          description={t('overview.costWhy')}
          min={0}
          decimalScale={2}
          decimalSeparator={i18n.language === 'en' ? '.' : ','}
          leftSection="R$"
          hideControls
          key={form.key('avgOperatorCost')}
          {...form.getInputProps('avgOperatorCost')}
        />
        {change.error && <ErrorMessage error={change.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:actions.cancel')}
          </Button>
          <Button type="submit" loading={change.isPending}>
            {t('overview.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** The registered environment stays a choice also where it is out of reach, or not read yet. */
function EnvironmentSelect({ registered, ...input }: { registered: string | null } & Record<string, unknown>) {
  const { t } = useTranslation('processes');
  const { data = [] } = useQuery(environmentChoicesQuery);
  const isKnown = registered === null || data.some(({ environmentID }) => environmentID === registered);
  return (
    <NativeSelect
      label={t('columns.environment')}
      data={[
        { value: '', label: t('add.noEnvironment') },
        ...(isKnown ? [] : [{ value: registered, label: t('overview.otherEnvironment') }]),
        ...data.map(({ environmentID, name }) => ({ value: environmentID, label: name })),
      ]}
      {...input}
    />
  );
}
