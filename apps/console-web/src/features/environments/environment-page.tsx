import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EnvironmentAnswer, EnvironmentChange } from '../../api/generated/console-api';
import { useAccount } from '../../api/session';
import { isEmpty, useChangesOf } from '../../common/concurrent-edit';
import { Dialog } from '../../common/dialog';
import { UnreadablePage } from '../../common/missing-page';
import { showSuccessNotification, showErrorNotification } from '../../common/notify';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { SavingSwitch } from '../../common/saving-switch';
import { AgentsTable } from './agents-table';
import { EnvironmentForm, environmentValuesOf, type EnvironmentValues } from './environment-form';
import { OnlineBadge } from './online-badge';
import { changeEnvironment, environmentKeys, environmentQuery, readEnvironment } from './queries';
import { RemoveEnvironment } from './remove-environment';
import { RotateKey } from './rotate-key';

export function EnvironmentPage() {
  const { t } = useTranslation('environments');
  const { id } = useParams({ from: '/environments/$id' });
  const environment = useQuery(environmentQuery(id));
  if (environment.isPending) return <PendingRead failure={environment.failureReason} height={60} />;
  if (!environment.data)
    return (
      <UnreadablePage
        title={t('title')}
        list="/environments"
        error={environment.error}
        reset={() => void environment.refetch()}
      />
    );
  return <EnvironmentDetails environment={environment.data} />;
}

function EnvironmentDetails({ environment }: { environment: EnvironmentAnswer }) {
  const { t } = useTranslation('environments');
  const [isEditing, editing] = useDisclosure(false);
  const { environmentID, name, description, online, owned } = environment;
  const actions = (
    <>
      <Button
        variant="default"
        renderRoot={(props) => <Link to="/runs" search={{ environment: environmentID }} {...props} />}
      >
        {t('runs')}
      </Button>
      {owned && (
        <>
          <Button variant="default" onClick={editing.open}>
            {t('change.open')}
          </Button>
          <RotateKey environmentID={environmentID} name={name} />
          <RemoveEnvironment environmentID={environmentID} name={name} />
        </>
      )}
    </>
  );
  return (
    <Stack>
      <PageHeader title={name} description={description || undefined} actions={actions} />
      <Group gap="xs">
        <OnlineBadge online={online} />
        {!online && <WhileOffline environment={environment} />}
      </Group>
      {owned && <ShareSwitch environment={environment} />}
      <Title order={2} size="h3">
        {t('agents.title')}
      </Title>
      <AgentsTable environmentID={environmentID} />
      <ChangeDialog environment={environment} opened={isEditing} onClose={editing.close} />
    </Stack>
  );
}

/** What happens to starts until an agent connects. */
function WhileOffline({ environment: { environmentID, offlineFlow } }: { environment: EnvironmentAnswer }) {
  const { t } = useTranslation('environments');
  if (!offlineFlow) return <Text size="sm">{t('whileOffline.refused')}</Text>;
  const search = { environment: environmentID, status: 'queued' };
  return (
    <Text size="sm">
      {t('whileOffline.queued')}{' '}
      <Anchor inherit underline="always" renderRoot={(props) => <Link to="/runs" search={search} {...props} />}>
        {t('whileOffline.open')}
      </Anchor>
    </Text>
  );
}

/** Only administrators may let everybody of their company use their environment. */
function ShareSwitch({ environment }: { environment: EnvironmentAnswer }) {
  const { t } = useTranslation('environments');
  const change = useChange(environment.environmentID);
  if (useAccount().role !== 'administrator') return null;
  return (
    <SavingSwitch
      label={t('share')}
      checked={environment.shared}
      isSaving={change.isPending}
      onSwitch={(shared) => change.mutate({ shared })}
    />
  );
}

function ChangeDialog(props: { environment: EnvironmentAnswer; opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('environments');
  return (
    <Dialog opened={props.opened} onClose={props.onClose} title={t('change.title')}>
      <ChangeForm {...props} />
    </Dialog>
  );
}

function ChangeForm({ environment, onClose }: { environment: EnvironmentAnswer; onClose: () => void }) {
  const { t } = useTranslation('environments');
  const { environmentID } = environment;
  const queryClient = useQueryClient();
  const changesOf = useChangesOf(environmentValuesOf(environment), async () =>
    environmentValuesOf(await readEnvironment(environmentID)),
  );
  const save = useMutation({
    mutationFn: async (values: EnvironmentValues) => {
      const change = await changesOf(values);
      if (!isEmpty(change)) await changeEnvironment(environmentID, change);
    },
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: environmentKeys.all });
      onClose();
      showSuccessNotification(t('change.done'));
    },
  });
  return (
    <EnvironmentForm
      initialValues={environmentValuesOf(environment)}
      submitText={t('change.submit')}
      error={save.error}
      isPending={save.isPending}
      onSubmit={(values, fail) => save.mutate(values, { onError: fail })}
      onCancel={onClose}
    />
  );
}

function useChange(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (change: EnvironmentChange) => changeEnvironment(id, change),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: environmentKeys.all }),
    onError: showErrorNotification,
  });
}
