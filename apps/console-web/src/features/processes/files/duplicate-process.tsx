import { Alert, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ProcessAnswer } from '../../../api/generated/console-api';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { PendingRead } from '../../../common/pending-read';
import { hasUnsavedFlow } from '../../flow-editor/stores';
import { processQueryKeys } from '../queries';
import { loadArchive } from './load-archive';
import { definitionLabels } from './definition-labels';
import { ImportFields } from './import-fields';

type ProcessName = Pick<ProcessAnswer, 'processID' | 'processName' | 'owned'>;

/** A button, with its dialog, that creates another process with the stored definition of this one, without its unsaved edits. */
export function DuplicateProcess({ process }: { process: ProcessName }) {
  const { t } = useTranslation('processes');
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {t('files.duplicate')}
      </Button>
      <Dialog opened={isOpen} onClose={dialog.close} title={t('files.duplicateTitle', { name: process.processName })}>
        <DuplicateForm process={process} onClose={dialog.close} />
      </Dialog>
    </>
  );
}

function DuplicateForm({ process, onClose }: { process: ProcessName; onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  const { processID: pid, processName, owned } = process;
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [name, setName] = useState(() => t('files.copyOf', { name: processName }));
  const [choices, setChoices] = useState({ environmentID: '', secret: '' });
  const read = useQuery({
    queryKey: ['processes', 'definition', pid],
    gcTime: 0,
    queryFn: async () => {
      const { readDefinition, hasSignedOrigin } = await loadArchive();
      const definition = await readDefinition(pid);
      return { definition, hasSignedOrigin: hasSignedOrigin(definition) };
    },
  });
  // The mutation holds the typed secret, so the cache drops it as soon as the dialog is closed.
  const copy = useMutation({
    gcTime: 0,
    mutationFn: async () => {
      if (!read.data) return undefined;
      const { duplicateProcess } = await loadArchive();
      return duplicateProcess(read.data.definition, { name: name.trim(), owned, ...choices });
    },
    onSuccess: async (made) => {
      if (made === undefined) return;
      await queryClient.invalidateQueries({ queryKey: processQueryKeys.all });
      onClose();
      await navigate({ to: '/processes/$pid', params: { pid: made } });
    },
  });
  if (read.error) return <ErrorMessage error={read.error} />;
  if (!read.data) return <PendingRead failure={read.failureReason} height={160} />;
  const { definition, hasSignedOrigin } = read.data;
  // `duplicateProcess` resolves to undefined when an own process has the name.
  const isTaken = copy.isSuccess && copy.data === undefined;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        copy.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('files.duplicateWhat')}</Text>
        {hasUnsavedFlow(pid) && <Alert color="orange">{t('files.unsaved')}</Alert>}
        <TextInput
          label={t('columns.name')}
          required
          data-autofocus
          maxLength={120}
          value={name}
          error={isTaken && t('files.nameTaken')}
          onChange={({ currentTarget }) => {
            setName(currentTarget.value);
            copy.reset();
          }}
        />
        <ImportFields
          environment={definition.settings.environment}
          hasSignedOrigin={hasSignedOrigin}
          choices={choices}
          onChange={setChoices}
        />
        {copy.error && <ErrorMessage error={copy.error} labels={definitionLabels(t)} />}
        <FormButtons
          submit={t('files.duplicate')}
          disabled={name.trim() === ''}
          isPending={copy.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}
