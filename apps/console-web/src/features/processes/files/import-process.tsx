import { FileInput, List, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../../../common/dialog';
import { ErrorMessage } from '../../../common/error-message';
import { FormButtons } from '../../../common/form-buttons';
import { showSuccessNotification } from '../../../common/notify';
import { processQueryKeys } from '../queries';
import { loadArchive } from './load-archive';
import { definitionLabels } from './definition-labels';
import { ImportFields } from './import-fields';
import type { ImportChoices, PlannedImport } from './process-archive';

const MAX_SHOWN_DIFFERENCES = 30;
const NO_CHOICES: ImportChoices = { environmentID: '', secret: '' };

/** A dialog that imports a process from a ZIP archive: first it shows what the import would change, then the user confirms it. */
export function ImportProcessDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('processes');
  return (
    <Dialog onClose={onClose} title={t('files.importTitle')}>
      <ImportForm onClose={onClose} />
    </Dialog>
  );
}

function ImportForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation(['processes', 'common']);
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const [choices, setChoices] = useState(NO_CHOICES);
  const read = useMutation({
    mutationFn: async (archive: File) => {
      const { openArchive, hasSignedOrigin } = await loadArchive();
      const stored = await openArchive(archive);
      return { stored, hasSignedOrigin: hasSignedOrigin(stored.definition) };
    },
  });
  const stored = read.data?.stored;
  // The functions of both mutations hold the typed secret, so the cache drops the mutations as soon as the dialog is closed.
  const plan = useMutation({
    mutationFn: async () => stored && (await loadArchive()).planImport(stored, choices),
    gcTime: 0,
  });
  const apply = useMutation({
    mutationFn: async () => stored && (await loadArchive()).applyImport(stored, choices),
    gcTime: 0,
    onSuccess: async (pid) => {
      if (pid === undefined) return;
      await queryClient.invalidateQueries({ queryKey: processQueryKeys.all });
      onClose();
      showSuccessNotification(t('files.imported'));
      await navigate({ to: '/processes/$pid', params: { pid } });
    },
  });
  // An import that is under way stays, so that nobody imports the archive twice.
  const clearResults = () => {
    plan.reset();
    if (!apply.isPending) apply.reset();
  };
  const error = read.error ?? plan.error ?? apply.error;
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (plan.data) apply.mutate();
        else plan.mutate();
      }}
    >
      <Stack>
        <Text size="sm">{t('files.importWhat')}</Text>
        <FileInput
          label={t('files.archive')}
          placeholder={t('files.choose')}
          accept=".zip,application/zip"
          required
          onChange={(archive) => {
            clearResults();
            read.reset();
            if (archive) read.mutate(archive);
          }}
        />
        {stored && (
          <ImportFields
            environment={stored.definition.settings.environment}
            hasSignedOrigin={read.data?.hasSignedOrigin === true}
            choices={choices}
            onChange={(next) => {
              setChoices(next);
              clearResults();
            }}
          />
        )}
        {stored && plan.data && <Changes name={stored.definition.settings.processName} plan={plan.data} />}
        {error && <ErrorMessage error={error} labels={definitionLabels(t)} />}
        <FormButtons
          submit={plan.data ? t('files.import') : t('files.check')}
          disabled={!stored}
          isPending={read.isPending || plan.isPending || apply.isPending}
          onCancel={onClose}
        />
      </Stack>
    </form>
  );
}

/** Says whether an import would create the process, or which fields of its files it would change. */
function Changes({ name, plan: { creates, differences } }: { name: string; plan: PlannedImport }) {
  const { t } = useTranslation('processes');
  if (creates) return <Text role="status">{t('files.creates', { name })}</Text>;
  if (differences.length === 0) return <Text role="status">{t('files.same', { name })}</Text>;
  return (
    <Stack gap={4} role="status">
      <Text>{t('files.changes', { name })}</Text>
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {differences.slice(0, MAX_SHOWN_DIFFERENCES).map(({ file, path }) => (
          <List.Item key={`${file} ${path}`}>
            {file} {path}
          </List.Item>
        ))}
      </List>
      {differences.length > MAX_SHOWN_DIFFERENCES && (
        <Text size="sm">{t('versions.more', { count: differences.length - MAX_SHOWN_DIFFERENCES })}</Text>
      )}
    </Stack>
  );
}
