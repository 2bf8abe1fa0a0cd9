import { Anchor, Box, Paper, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { LedgerEntryAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { DateTime } from '../../common/date-time';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { FilterPeriodFields } from '../../common/filter-fields';
import { NoMatches, usePeriodNames } from '../../common/no-matches';
import { useFormats } from '../../i18n/formats';
import { creditsQuery, ledgerQuery } from './queries';

/** How many starts the credits of the company allow, and the ledger of what added and used credits. */
export function Credits() {
  const { t } = useTranslation('company');
  const formats = useFormats();
  const period = useSearch({ from: '/company' });
  const navigate = useNavigate({ from: '/company' });
  const days = usePeriodNames(period);
  const credits = useQuery(creditsQuery);
  const ledger = useInfiniteQuery(ledgerQuery(period));
  const setPeriod = (change: typeof period) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true, resetScroll: false });
  return (
    <section>
      <Title order={2} size="h3" mb="xs">
        {t('credits.title')}
      </Title>
      {credits.error && <ErrorMessage error={credits.error} />}
      {credits.data && (
        <Paper withBorder p="md" mb="md">
          <Text size="xl" fw={600}>
            {t('credits.left', { count: credits.data.balance, number: formats.number(credits.data.balance) })}
          </Text>
          {credits.data.balance === 0 && <Text>{t('credits.none')}</Text>}
          <Text c="dimmed">{t('credits.monthly', { number: formats.number(credits.data.monthly) })}</Text>
        </Paper>
      )}
      <Box mb="md">
        <FilterPeriodFields from={period.from} to={period.to} onChange={setPeriod} />
      </Box>
      <DataTable
        label={t('credits.title')}
        query={ledger}
        rows={ledger.data?.pages.flatMap(({ entries }) => entries) ?? []}
        rowKey={({ at, kind, instanceID, amount }) => `${at} ${kind} ${instanceID} ${amount}`}
        columns={useColumns()}
        empty={
          period.from === undefined && period.to === undefined ? (
            <EmptyState title={t('credits.empty')} text={t('credits.emptyText')} />
          ) : (
            <NoMatches
              title={t('credits.empty')}
              filters={days}
              onClear={() => setPeriod({ from: undefined, to: undefined })}
            />
          )
        }
      />
    </section>
  );
}

function useColumns(): Column<LedgerEntryAnswer>[] {
  const { t } = useTranslation('company');
  const formats = useFormats();
  return [
    { key: 'at', title: t('credits.at'), render: ({ at }) => <DateTime value={at} /> },
    {
      key: 'kind',
      title: t('credits.kind'),
      render: ({ kind, reason }) => (
        <span style={{ overflowWrap: 'anywhere' }}>
          {t(`credits.kinds.${kind}`)}
          {reason !== undefined && `: ${reason}`}
        </span>
      ),
    },
    {
      key: 'amount',
      title: t('credits.amount'),
      render: ({ amount }) => <span>{amount > 0 ? `+${formats.number(amount)}` : formats.number(amount)}</span>,
    },
    {
      key: 'run',
      title: t('credits.run'),
      render: ({ instanceID }) =>
        instanceID !== null && (
          <Anchor renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: instanceID }} {...props} />}>
            {t('credits.open')}
          </Anchor>
        ),
    },
  ];
}
