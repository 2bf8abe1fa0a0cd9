import { Box, Group, SegmentedControl, Skeleton, Stack, Table, Text, Title } from '@mantine/core';
import { useIntersection } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { lazyPart } from '../../common/lazy-part';
import { oneOf } from '../../common/search-params';
import { ErrorMessage } from '../../common/error-message';
import { PendingRead } from '../../common/pending-read';
import { useFormats } from '../../i18n/formats';
import { dateTimeFormat } from '../../i18n/intl';
import { PERIODS, chartPeriodOf, countedSince, pointsOf, type ChartPoint, type Period } from './chart-points';
import { statisticsQuery } from './queries';

// The chart library is large (more than 400 KB), so it is loaded only when half of the charts are in view.
const Charts = lazyPart(async () => (await import('./charts')).Charts);

/** Pixels that the charts take, reserved before they are loaded. */
const CHARTS_HEIGHT = 280;

export function StatisticsPanel() {
  const { t, i18n } = useTranslation('home');
  const [period, setPeriod] = useState<Period>('week');
  const [hasBeenSeen, setSeen] = useState(false);
  const { ref, entry } = useIntersection({ threshold: 0.5 });
  if (entry?.isIntersecting && !hasBeenSeen) setSeen(true);
  const formats = useFormats();
  const query = useQuery(statisticsQuery(period));
  const labels = dateTimeFormat(
    i18n.language,
    period === 'day'
      ? { hour: '2-digit', minute: '2-digit' }
      : { day: '2-digit', month: '2-digit', timeZone: 'America/Sao_Paulo' },
  );
  const labelOf = (at: string) => labels.format(new Date(at));
  const fallback = <Skeleton height={CHARTS_HEIGHT} role="status" aria-busy="true" />;
  const chartPeriod = chartPeriodOf(period, new Date(query.dataUpdatedAt));
  const points = query.data && pointsOf(query.data, chartPeriod);
  const since = query.data && countedSince(query.data, chartPeriod);
  return (
    <Stack component="section" aria-label={t('charts.title')}>
      <Group justify="space-between">
        <Title order={2} size="h3">
          {t('charts.title')}
        </Title>
        <SegmentedControl
          aria-label={t('charts.period')}
          value={period}
          onChange={(value) => setPeriod(oneOf(PERIODS)(value) ?? 'week')}
          data={PERIODS.map((value) => ({ value, label: t(`charts.periods.${value}`) }))}
        />
      </Group>
      {query.error && <ErrorMessage error={query.error} />}
      {since && <Text size="sm">{t('charts.since', { time: formats.dateTime(since.getTime()) })}</Text>}
      {points?.every(({ good, failed, stopped }) => good + failed + stopped === 0) && (
        <Text c="dimmed">{t('charts.empty')}</Text>
      )}
      <Box ref={ref} mih={CHARTS_HEIGHT}>
        {query.isPending && <PendingRead failure={query.failureReason} height={CHARTS_HEIGHT} />}
        {points && hasBeenSeen && (
          <Suspense fallback={fallback}>
            <Charts points={points} labelOf={labelOf} />
          </Suspense>
        )}
      </Box>
      {points && <PointsTable points={points} labelOf={labelOf} />}
    </Stack>
  );
}

/** The data of the charts as a table, for users who cannot see the charts or want the numbers. */
function PointsTable({ points, labelOf }: { points: ChartPoint[]; labelOf: (at: string) => string }) {
  const { t } = useTranslation('home');
  const formats = useFormats();
  const duration = (value: number | null) => (value === null ? '–' : formats.duration(value));
  return (
    <details>
      <Text component="summary" size="sm" style={{ cursor: 'pointer' }}>
        {t('charts.asTable')}
      </Text>
      <Table.ScrollContainer minWidth={480} type="native" tabIndex={0}>
        <Table aria-label={t('charts.title')}>
          <Table.Thead>
            <Table.Tr>
              {['when', 'good', 'failed', 'stopped', 'p50', 'p95'].map((column) => (
                <Table.Th key={column} scope="col">
                  {t(`charts.${column}`)}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {points.map(({ at, good, failed, stopped, p50Ms, p95Ms }) => (
              <Table.Tr key={at}>
                <Table.Th scope="row" fw="normal">
                  {labelOf(at)}
                </Table.Th>
                <Table.Td>{formats.number(good)}</Table.Td>
                <Table.Td>{formats.number(failed)}</Table.Td>
                <Table.Td>{formats.number(stopped)}</Table.Td>
                <Table.Td>{duration(p50Ms)}</Table.Td>
                <Table.Td>{duration(p95Ms)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </details>
  );
}
