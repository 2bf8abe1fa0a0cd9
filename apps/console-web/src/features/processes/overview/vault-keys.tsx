import { Anchor, Button, Code, Group, MultiSelect, Stack, Text, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorMessage } from '../../../common/error-message';
import { withEdit } from '../../../common/concurrent-edit';
import { showSuccessNotification } from '../../../common/notify';
import { PendingRead } from '../../../common/pending-read';
import { vaultQuery } from '../../account/queries';
import { UnsavedGuard } from '../../../common/unsaved-guard';
import { allowedKeysQuery, readAllowedKeys, replaceAllowedKeys } from './queries';

/** The keys of its owner's vault that the process may use. Only the owner changes them; other accounts see them. */
export function VaultKeys({ pid, owned }: { pid: string; owned: boolean }) {
  const { t } = useTranslation('processes');
  const allowed = useQuery(allowedKeysQuery(pid));
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t('vaultKeys.title')}
      </Title>
      <Text c="dimmed" mb="sm">
        {t('vaultKeys.what')}
      </Text>
      {allowed.isPending && <PendingRead failure={allowed.failureReason} height={60} />}
      {allowed.error && <ErrorMessage error={allowed.error} />}
      {allowed.data && (owned ? <KeysForm pid={pid} saved={allowed.data} /> : <KeysShown keys={allowed.data} />)}
    </section>
  );
}

function KeysShown({ keys }: { keys: string[] }) {
  const { t } = useTranslation('processes');
  if (keys.length === 0) return <Text>{t('vaultKeys.none')}</Text>;
  return (
    <Group gap="xs">
      {keys.map((key) => (
        <Code key={key}>{key}</Code>
      ))}
    </Group>
  );
}

function KeysForm({ pid, saved }: { pid: string; saved: string[] }) {
  const { t } = useTranslation('processes');
  const queryClient = useQueryClient();
  const vault = useQuery(vaultQuery);
  /** The keys that were allowed when the edit began, and those that are chosen now. */
  const [edit, setEdit] = useState<{ base: string[]; keys: string[] }>();
  const save = useMutation({
    mutationFn: async ({ base, keys }: { base: string[]; keys: string[] }) =>
      replaceAllowedKeys(pid, withEdit(await readAllowedKeys(pid), base, keys)),
    onSuccess: (keys, sent) => {
      queryClient.setQueryData(allowedKeysQuery(pid).queryKey, keys);
      // What the user has chosen while the call was under way is another edit.
      setEdit((now) => (now && now !== sent ? { base: sent.keys, keys: now.keys } : undefined));
      showSuccessNotification(t('vaultKeys.saved'));
    },
  });
  const chosen = edit?.keys ?? saved;
  const stored = vault.data?.map(({ key }) => key);
  const missing = stored ? chosen.filter((key) => !stored.includes(key)) : [];
  const choices = [...new Set([...(stored ?? []), ...chosen])];
  return (
    <Stack maw={640}>
      {vault.error && <ErrorMessage error={vault.error} />}
      {vault.isSuccess && choices.length === 0 ? (
        <Text>
          {t('vaultKeys.empty')}{' '}
          <Anchor component={Link} to="/account" underline="always">
            {t('vaultKeys.toVault')}
          </Anchor>
        </Text>
      ) : (
        <MultiSelect
          label={t('vaultKeys.label')}
          data={choices}
          value={chosen}
          onChange={(keys) => setEdit({ base: edit?.base ?? saved, keys })}
          searchable
          nothingFoundMessage={t('vaultKeys.nothingFound')}
        />
      )}
      {missing.length > 0 && (
        <Text size="sm">
          {t('vaultKeys.missing', { count: missing.length, keys: missing.join(', ') })}{' '}
          <Anchor component={Link} to="/account" underline="always">
            {t('vaultKeys.toVault')}
          </Anchor>
        </Text>
      )}
      {save.error && <ErrorMessage error={save.error} />}
      {edit && (
        <Group>
          <Button loading={save.isPending} onClick={() => save.mutate(edit)}>
            {t('overview.save')}
          </Button>
          <Button variant="subtle" disabled={save.isPending} onClick={() => setEdit(undefined)}>
            {t('matrix.discard')}
          </Button>
        </Group>
      )}
      <UnsavedGuard isDirty={edit !== undefined} isSending={save.isPending} />
    </Stack>
  );
}
