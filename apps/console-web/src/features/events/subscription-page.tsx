import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EventSubscriptionAnswer } from '../../api/generated/console-api';
import { CallError } from '../../api/error';
import { ErrorPage } from '../../common/error-page';
import { MissingPage } from '../../common/missing-page';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { SavingSwitch } from '../../common/saving-switch';
import { Deliveries } from './deliveries';
import { subscriptionQuery } from './queries';
import {
  ChangeSubscriptionDialog,
  RemoveSubscriptionDialog,
  RotateSecret,
  useChangeSubscription,
} from './subscription-dialogs';
import { SubscriptionState } from './subscription-state';
import { TestEvent } from './test-event';
import { useProcessName } from './use-process-name';

/** One subscription with its deliveries. */
export function SubscriptionPage() {
  const { t } = useTranslation('events');
  const { id } = useParams({ from: '/company/events/$id' });
  const query = useQuery(subscriptionQuery(id));
  if (query.isPending) return <PendingRead failure={query.failureReason} height={60} />;
  if (query.data) return <Subscription key={id} subscription={query.data} />;
  if (!(query.error instanceof CallError) || query.error.status !== 404) {
    return <ErrorPage error={query.error} reset={() => void query.refetch()} />;
  }
  return <MissingPage title={t('title')} text={t('gone')} link={<BackLink />} />;
}

function Subscription({ subscription }: { subscription: EventSubscriptionAnswer }) {
  const { t } = useTranslation('events');
  const [isEditing, editing] = useDisclosure(false);
  const [isRemoving, removing] = useDisclosure(false);
  const change = useChangeSubscription(subscription.id);
  const nameOf = useProcessName();
  const { id, url, events, processID, enabled } = subscription;
  const actions = (
    <>
      <Button variant="default" onClick={editing.open}>
        {t('change.open')}
      </Button>
      <RotateSecret id={id} />
      <Button variant="outline" color="red" onClick={removing.open}>
        {t('remove.open')}
      </Button>
    </>
  );
  return (
    <Stack>
      <PageHeader title={t('titleOf', { host: hostOf(url) })} description={<BackLink />} actions={actions} />
      <div>
        <Text style={{ overflowWrap: 'anywhere' }}>{url}</Text>
        <Text c="dimmed" size="sm">
          {events.map((name) => t(`names.${name}`)).join(', ')} · {nameOf(processID)}
        </Text>
      </div>
      <div>
        <SubscriptionState {...subscription} />
      </div>
      <SavingSwitch
        label={t('enabledWhy')}
        checked={enabled}
        isSaving={change.isPending}
        onSwitch={(on) => change.mutate({ enabled: on })}
      />
      <TestEvent id={id} />
      <Deliveries subscription={subscription} />
      <ChangeSubscriptionDialog
        key={isEditing ? 'open' : 'closed'}
        subscription={subscription}
        opened={isEditing}
        onClose={editing.close}
      />
      <RemoveSubscriptionDialog subscription={subscription} opened={isRemoving} onClose={removing.close} />
    </Stack>
  );
}

/** Only the host, because the path of an address may have a token, and a title is kept in the history of the browser. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

function BackLink() {
  const { t } = useTranslation('events');
  return (
    <Anchor underline="always" renderRoot={(props) => <Link to="/company/events" {...props} />}>
      {t('back')}
    </Anchor>
  );
}
