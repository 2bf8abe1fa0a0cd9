import { Anchor, List, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import type { CalendarDayAnswer, FiringAnswer } from '../../api/generated/console-api';
import { DataTable, type Column } from '../../common/data-table';
import { StatusBadge } from '../../common/status-badge';
import { reasonText } from './firing-reason';
import { hasTimes, FIRING_LOOKS } from './firing-looks';
import { firingsQuery } from './queries';
import { dayInWords, SCHEDULE_ZONE, timeInWords, zoneClock } from './zone-times';

/** The result of each nominal time of a day, and the nominal times that are still to come. `id` = that of the schedule. */
export function DayFirings({ id, of }: { id: string; of: CalendarDayAnswer }) {
  const { t, i18n } = useTranslation('schedules');
  const { day, from, until, upcoming, moreUpcoming } = of;
  const query = useInfiniteQuery(firingsQuery(id, { from, until }));
  const rows = query.data?.pages.flatMap(({ firings }) => firings) ?? [];
  const columns = useColumns();
  const title = dayInWords(i18n.language, day, { dateStyle: 'full' });
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {(rows.length > 0 || query.isPending || query.error) && (
        <DataTable
          label={t('schedule.title')}
          query={query}
          rows={rows}
          rowKey={({ nominalAt }) => nominalAt}
          columns={columns}
          empty={null}
        />
      )}
      {!hasTimes(of) && rows.length === 0 && <Text>{t('schedule.nothing')}</Text>}
      {upcoming.length > 0 && (
        <div>
          <Text fw={500}>{t('schedule.upcoming')}</Text>
          <List size="sm">
            {upcoming.map((at) => (
              <List.Item key={at}>{zoneClock(i18n.language, at)}</List.Item>
            ))}
            {moreUpcoming && <List.Item>{t('schedule.more')}</List.Item>}
          </List>
        </div>
      )}
    </Stack>
  );
}

function useColumns(): Column<FiringAnswer>[] {
  const { t, i18n } = useTranslation('schedules');
  return [
    {
      key: 'at',
      title: t('schedule.at'),
      render: ({ nominalAt }) => (
        <time dateTime={nominalAt} title={timeInWords(i18n.language, nominalAt, SCHEDULE_ZONE)}>
          {zoneClock(i18n.language, nominalAt)}
        </time>
      ),
    },
    {
      key: 'result',
      title: t('schedule.result'),
      render: ({ result }) => <StatusBadge look={FIRING_LOOKS[result]}>{t(`schedule.results.${result}`)}</StatusBadge>,
    },
    {
      key: 'reason',
      title: t('schedule.reason'),
      render: ({ reason }) => <Text size="sm">{reason ? reasonText(reason, t) : '–'}</Text>,
    },
    {
      key: 'run',
      title: t('schedule.run'),
      render: ({ instanceID }) =>
        instanceID === null ? (
          <span>–</span>
        ) : (
          <Anchor renderRoot={(props) => <Link to="/runs/$iid" params={{ iid: instanceID }} {...props} />}>
            {t('schedule.open')}
          </Anchor>
        ),
    },
  ];
}
