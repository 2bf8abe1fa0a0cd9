import { Anchor, Button, Group, NativeSelect, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { EventDeliveryAnswer, EventSubscriptionAnswer } from '../../api/generated/console-api';
import { ConfirmDialog } from '../../common/confirm-dialog';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { NoMatches } from '../../common/no-matches';
import { showSuccessNotification, showErrorNotification } from '../../common/notify';
import { oneOf } from '../../common/search-params';
import { StatusBadge } from '../../common/status-badge';
import { deliveryErrorText } from './delivery-errors';
import { DELIVERY_STATUSES } from './event-names';
import { deliveriesQuery, eventKeys, redeliver } from './queries';

const LOOKS = { waiting: 'waiting', delivered: 'good', dead: 'bad' } as const;

/** The deliveries of a subscription; dead ones can be sent again while the subscription is switched on. */
export function Deliveries({ subscription }: { subscription: EventSubscriptionAnswer }) {
  const { t } = useTranslation('events');
  const { status } = useSearch({ from: '/company/events/$id' });
  const navigate = useNavigate({ from: '/company/events/$id' });
  const [isAsking, asking] = useDisclosure(false);
  const { id, enabled, dead } = subscription;
  const query = useInfiniteQuery(deliveriesQuery(id, status));
  const send = useRedelivery(id);
  const sendAll = useRedelivery(id);
  const sendOne = (iid: string) => {
    // A second press would ask for a delivery that is no longer dead.
    if (!send.isPending || send.variables !== iid) send.mutate(iid, { onError: showErrorNotification });
  };
  const choose = (value: string) =>
    void navigate({ search: { status: oneOf(DELIVERY_STATUSES)(value) }, replace: true, resetScroll: false });
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t('deliveries.title')}
      </Title>
      <Group mb="md" align="flex-end">
        <NativeSelect
          label={t('deliveries.status')}
          value={status ?? ''}
          onChange={({ currentTarget }) => choose(currentTarget.value)}
          data={[
            { value: '', label: t('deliveries.any') },
            ...DELIVERY_STATUSES.map((value) => ({ value, label: t(`deliveries.statuses.${value}`) })),
          ]}
        />
        {dead > 0 && (
          <Button variant="default" disabled={!enabled} onClick={asking.open}>
            {t('deliveries.sendAll')}
          </Button>
        )}
        <Button variant="subtle" loading={query.isRefetching} onClick={() => void query.refetch()}>
          {t('deliveries.refresh')}
        </Button>
      </Group>
      {dead > 0 && !enabled && <Text mb="md">{t('deliveries.switchOnFirst')}</Text>}
      <DataTable
        label={t('deliveries.title')}
        query={query}
        rows={query.data?.pages.flatMap(({ deliveries }) => deliveries) ?? []}
        rowKey={({ instanceID }) => instanceID}
        columns={useColumns(enabled, sendOne)}
        empty={
          status === undefined ? (
            <EmptyState title={t('deliveries.empty')} text={t('deliveries.emptyText')} />
          ) : (
            <NoMatches
              title={t('deliveries.noneFound')}
              filters={[[t('deliveries.status'), t(`deliveries.statuses.${status}`)]]}
              onClear={() => choose('')}
            />
          )
        }
      />
      <ConfirmDialog
        opened={isAsking}
        title={t('deliveries.sendAllTitle')}
        confirm={t('deliveries.sendAllConfirm')}
        mutation={sendAll}
        onConfirm={() => sendAll.mutate(undefined, { onSuccess: asking.close })}
        onClose={asking.close}
      >
        {t('deliveries.sendAllText')}
      </ConfirmDialog>
    </section>
  );
}

function useRedelivery(id: string) {
  const { t } = useTranslation('events');
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (iid: string | undefined) => redeliver(id, iid),
    onSuccess: async ({ redelivered }) => {
      showSuccessNotification(t('deliveries.sent', { count: redelivered }));
      await queryClient.invalidateQueries({ queryKey: eventKeys.all });
    },
  });
}

function useColumns(enabled: boolean, send: (iid: string) => void): Column<EventDeliveryAnswer>[] {
  const { t } = useTranslation('events');
  return [
    {
      key: 'run',
      title: t('deliveries.run'),
      render: ({ event, instanceID, createdAt }) =>
        // A firing that started no instance has no run.
        event.startsWith('schedule.') ? (
          <DateTime value={createdAt} />
        ) : (
          <Anchor renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: instanceID }} {...props} />}>
            <DateTime value={createdAt} />
          </Anchor>
        ),
    },
    { key: 'event', title: t('deliveries.event'), render: ({ event }) => <span>{t(`names.${event}`)}</span> },
    {
      key: 'status',
      title: t('deliveries.status'),
      render: ({ status }) => <StatusBadge look={LOOKS[status]}>{t(`deliveries.statuses.${status}`)}</StatusBadge>,
    },
    { key: 'attempts', title: t('deliveries.attempts'), render: ({ attempts }) => <span>{attempts}</span> },
    { key: 'answer', title: t('deliveries.answer'), render: (delivery) => <LastAnswer {...delivery} /> },
    { key: 'next', title: t('deliveries.next'), render: ({ nextAttemptAt }) => <DateTime value={nextAttemptAt} /> },
    {
      key: 'actions',
      title: t('deliveries.actions'),
      render: ({ instanceID, status }) =>
        status === 'dead' && (
          <Button
            size="xs"
            variant="default"
            disabled={!enabled}
            aria-label={`${t('deliveries.send')}: ${instanceID}`}
            onClick={() => send(instanceID)}
          >
            {t('deliveries.send')}
          </Button>
        ),
    },
  ];
}

function LastAnswer({ lastStatus, lastError }: EventDeliveryAnswer) {
  if (lastStatus === null && lastError === null) return <span>–</span>;
  return (
    <div style={{ overflowWrap: 'anywhere', maxWidth: '20rem' }}>
      {lastStatus !== null && <Text size="sm">{lastStatus}</Text>}
      {lastError !== null && <Text size="xs">{deliveryErrorText(lastError)}</Text>}
    </div>
  );
}
