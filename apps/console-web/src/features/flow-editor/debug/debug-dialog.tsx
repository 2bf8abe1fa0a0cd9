import { Button, Group, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { useFormats } from '../../../i18n/formats';
import { ProcessEnvironmentChoice } from '../../processes/run/process-environment-choice';
import { flowVariablesQuery } from '../queries';
import { processCapturesQuery, debugWithCapture, debugWith } from './queries';

/** Chooses the values of a debug run: those of a capture, or typed ones. The flow is saved before the run starts. */
export function DebugDialog(props: {
  pid: string;
  process: Pick<ProcessAnswer, 'environmentID'>;
  opened: boolean;
  onClose: () => void;
  save: () => Promise<boolean>;
  onStarted: (instanceID: string) => void;
}) {
  const { t } = useTranslation(['flow-editor', 'common']);
  const { opened, onClose } = props;
  return (
    <Dialog opened={opened} onClose={onClose} title={t('debug.title')}>
      <DebugForm {...props} />
    </Dialog>
  );
}

function DebugForm({ pid, process, onClose, save, onStarted }: Parameters<typeof DebugDialog>[0]) {
  const { t } = useTranslation(['flow-editor', 'common']);
  const { dateTime } = useFormats();
  const matrix = useQuery(flowVariablesQuery(pid));
  const captures = useQuery(processCapturesQuery(pid));
  const [from, setFrom] = useState<'typed' | 'capture'>('typed');
  const [capture, setCapture] = useState('');
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [environmentID, setEnvironmentID] = useState('');
  const run = useMutation({
    mutationFn: async () => {
      if (!(await save())) return undefined;
      const place = environmentID === '' ? {} : { environmentID };
      if (from === 'capture') return debugWithCapture(capture, place);
      const values = Object.fromEntries(Object.entries(typed).filter(([, value]) => value !== ''));
      return debugWith(pid, { matrix: values, ...place });
    },
    // The mutation holds the typed Secretos, so its data are dropped at once.
    gcTime: 0,
    onSuccess: (started) => {
      // The flow was not saved: the typed values stay for the next attempt.
      if (!started) return;
      onClose();
      onStarted(started.instanceID);
    },
  });
  const choices = captures.data ?? [];
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        run.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('debug.why')}</Text>
        <Radio.Group
          label={t('debug.values')}
          value={from}
          onChange={(next) => setFrom(next === 'capture' ? 'capture' : 'typed')}
        >
          <Group mt="xs">
            <Radio value="typed" label={t('debug.typed')} data-autofocus />
            <Radio value="capture" label={t('debug.capture')} disabled={choices.length === 0} />
          </Group>
        </Radio.Group>
        {from === 'capture' ? (
          <NativeSelect
            label={t('debug.whichCapture')}
            value={capture}
            onChange={({ currentTarget }) => setCapture(currentTarget.value)}
            data={[
              { value: '', label: t('debug.choose') },
              ...choices.map(({ id, origin, capturedAt }) => ({
                value: id,
                label: `${origin} · ${dateTime(capturedAt)}`,
              })),
            ]}
          />
        ) : (
          (matrix.data ?? []).map(({ id, name, type }) => (
            <TextInput
              key={id}
              label={name}
              description={type}
              type={type === 'Secreto' ? 'password' : 'text'}
              autoComplete="off"
              placeholder={t('debug.default')}
              value={typed[name] ?? ''}
              onChange={({ currentTarget }) => setTyped({ ...typed, [name]: currentTarget.value })}
            />
          ))
        )}
        {from === 'typed' && matrix.data?.length === 0 && <Text size="sm">{t('debug.noMatrix')}</Text>}
        <ProcessEnvironmentChoice process={process} value={environmentID} onChange={setEnvironmentID} />
        {run.error && <ErrorMessage error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('common:actions.cancel')}
          </Button>
          <Button type="submit" loading={run.isPending} disabled={from === 'capture' && capture === ''}>
            {t('debug.run')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
