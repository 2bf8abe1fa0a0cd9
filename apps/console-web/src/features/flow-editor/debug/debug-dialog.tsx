import { Group, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { useFormats } from '../../../i18n/formats';
import { matrixQuery } from '../../processes/matrix/queries';
import { ProcessEnvironmentChoice } from '../../processes/run/process-environment-choice';
import {
  matrixOf,
  refusedByName,
  textOfVariable,
  withoutSecrets,
  type TypedValues,
} from '../../processes/run/run-values';
import { ValueField } from '../../processes/run/value-field';
import { processCapturesQuery, debugWithCapture, debugWith } from './queries';

interface DebugDialogProps {
  pid: string;
  process: Pick<ProcessAnswer, 'environmentID'>;
  opened: boolean;
  onClose: () => void;
  /** Resolves to false when the flow could not be saved; no run is started then. */
  save: () => Promise<boolean>;
  onStarted: (instanceID: string) => void;
}

interface DebugInput {
  from: 'typed' | 'capture';
  /** The id of the chosen capture; empty = none. */
  capture: string;
  typed: TypedValues;
  /** Empty = the environment of the process. */
  environmentID: string;
}

const FIRST_INPUT: DebugInput = { from: 'typed', capture: '', typed: {}, environmentID: '' };

/**
 * Starts a debug run with the values of a capture, or with typed ones. The flow is saved before the run starts. The dialog opens with the
 * values of the last run except Secretos, because a flow is usually debugged several times with the same values.
 */
export function DebugDialog(props: DebugDialogProps) {
  const { t } = useTranslation(['flow-editor', 'common']);
  const { opened, onClose } = props;
  const [last, setLast] = useState(FIRST_INPUT);
  return (
    <Dialog opened={opened} onClose={onClose} title={t('debug.title')}>
      <DebugForm {...props} last={last} onRun={setLast} />
    </Dialog>
  );
}

interface DebugFormProps extends DebugDialogProps {
  last: DebugInput;
  /** Takes the input of a started run, without Secretos. */
  onRun: (input: DebugInput) => void;
}

function DebugForm({ pid, process, onClose, save, onStarted, last, onRun }: DebugFormProps) {
  const { t } = useTranslation(['flow-editor', 'common']);
  const { dateTime } = useFormats();
  const { data: variables, error: unreadMatrix } = useQuery(matrixQuery(pid));
  const captures = useQuery(processCapturesQuery(pid));
  const [input, setInput] = useState(last);
  const choices = captures.data ?? [];
  const { from, typed, environmentID } = input;
  // The capture of the last run may have been deleted.
  const capture = choices.some(({ id }) => id === input.capture) ? input.capture : '';
  const run = useMutation({
    mutationFn: async () => {
      if (!(await save())) return undefined;
      const place = environmentID === '' ? {} : { environmentID };
      if (from === 'capture') return debugWithCapture(capture, place);
      return debugWith(pid, { matrix: matrixOf(variables ?? [], typed), ...place });
    },
    // The mutation holds the typed Secretos, so the cache drops it as soon as the dialog is closed.
    gcTime: 0,
    onSuccess: (started) => {
      // The flow was not saved: the typed values stay for the next attempt.
      if (!started) return;
      onRun({ ...input, typed: withoutSecrets(variables ?? [], typed) });
      onClose();
      onStarted(started.instanceID);
    },
  });
  const change = (part: Partial<DebugInput>) => {
    setInput((before) => ({ ...before, ...part }));
    // A refusal belongs to the old values. A run that is being started must not be reset, or it could be started twice.
    if (run.isError) run.reset();
  };
  const refused = refusedByName([], run.error);
  return (
    <form
      noValidate
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
          onChange={(next) => change({ from: next === 'capture' ? 'capture' : 'typed' })}
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
            onChange={({ currentTarget }) => change({ capture: currentTarget.value })}
            data={[
              { value: '', label: t('debug.choose') },
              ...choices.map(({ id, origin, capturedAt }) => ({
                value: id,
                label: `${origin} · ${dateTime(capturedAt)}`,
              })),
            ]}
          />
        ) : (
          (variables ?? []).map((variable) => (
            <ValueField
              key={variable.id}
              variable={variable}
              value={textOfVariable(typed, variable.name) ?? ''}
              onChange={(value) => change({ typed: { ...typed, [variable.name]: value } })}
              refusal={textOfVariable(refused, variable.name)}
            />
          ))
        )}
        {from === 'typed' && unreadMatrix && <ErrorMessage error={unreadMatrix} />}
        {captures.error && <ErrorMessage error={captures.error} />}
        {from === 'typed' && variables?.length === 0 && <Text size="sm">{t('debug.noMatrix')}</Text>}
        <ProcessEnvironmentChoice
          process={process}
          value={environmentID}
          onChange={(id) => change({ environmentID: id })}
        />
        {run.error && <ErrorMessage error={run.error} />}
        <FormButtons
          submit={t('debug.run')}
          disabled={from === 'capture' ? capture === '' : !variables}
          isPending={run.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
