import { Alert, Anchor, Button, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { OriginAnswer } from '../../api/generated/console-api';
import { MissingPage } from '../../common/missing-page';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { SavingSwitch } from '../../common/saving-switch';
import { UnreadableProcess } from '../processes/unreadable-process';
import { Captures } from './captures';
import { ChangeOriginDialog, RemoveOriginDialog, useChangeOrigin } from './origin-dialogs';
import { OriginURLs } from './origin-urls';
import { originsQuery } from './queries';

export function OriginPage() {
  const { t } = useTranslation('webhooks');
  const { pid, oid } = useParams({ from: '/processes/$pid/webhooks/$oid' });
  const origins = useQuery(originsQuery(pid));
  if (origins.isPending) return <PendingRead failure={origins.failureReason} height={60} />;
  if (!origins.data) return <UnreadableProcess query={origins} />;
  const origin = origins.data.find(({ id }) => id === oid);
  if (origin) return <OriginDetails key={oid} origin={origin} />;
  return <MissingPage title={t('title')} text={t('gone')} link={<BackLink pid={pid} />} />;
}

function OriginDetails({ origin }: { origin: OriginAnswer }) {
  const { t } = useTranslation('webhooks');
  const [isEditing, editing] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const change = useChangeOrigin(origin);
  const actions = (
    <>
      <Button variant="default" onClick={editing.open}>
        {t('change.open')}
      </Button>
      <Button variant="outline" color="red" onClick={removing.open}>
        {t('remove.open')}
      </Button>
    </>
  );
  return (
    <Stack>
      <PageHeader title={origin.name} description={<BackLink pid={origin.processID} />} actions={actions} />
      <SavingSwitch
        label={t('enabledWhy')}
        checked={origin.enabled}
        isSaving={change.isPending}
        onSwitch={(enabled) => change.mutate({ enabled })}
      />
      {!origin.enabled && (
        <Alert color="yellow" p="xs" role="status" title={t('off.title')}>
          {t('off.text')}
        </Alert>
      )}
      <OriginURLs origin={origin} />
      <Captures origin={origin} />
      <ChangeOriginDialog origin={origin} opened={isEditing} onClose={editing.close} />
      <RemoveOriginDialog origin={origin} opened={isRemoving} onClose={removing.close} />
    </Stack>
  );
}

function BackLink({ pid }: { pid: string }) {
  const { t } = useTranslation('webhooks');
  return (
    <Anchor
      underline="always"
      renderRoot={(props) => <Link to="/processes/$pid/webhooks" params={{ pid }} {...props} />}
    >
      {t('back')}
    </Anchor>
  );
}
