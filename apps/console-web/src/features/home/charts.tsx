import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { SimpleGrid, Stack, Text } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useFormats } from '../../i18n/formats';
import type { ChartPoint } from './chart-points';
import { durationTicks } from './duration-ticks';

/** Charts are hidden from screen readers; the table beside them has the same data. */
const WITHOUT_KEYBOARD_LAYER = { accessibilityLayer: false };

/** Runs by outcome, and durations, over time. `labelOf` gives the text of an hour or day by its beginning, an ISO text. */
export function Charts({ points, labelOf }: { points: ChartPoint[]; labelOf: (at: string) => string }) {
  const { t } = useTranslation('home');
  const formats = useFormats();
  const ticks = durationTicks(points);
  const data = points.map((point) => ({ ...point, label: labelOf(point.at) }));
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} aria-hidden>
      <Stack gap="xs">
        <Text fw={500}>{t('charts.outcomes')}</Text>
        <BarChart
          h={240}
          data={data}
          dataKey="label"
          type="stacked"
          withLegend
          barChartProps={WITHOUT_KEYBOARD_LAYER}
          yAxisProps={{ allowDecimals: false }}
          series={[
            { name: 'good', label: t('charts.good'), color: 'teal.7' },
            { name: 'failed', label: t('charts.failed'), color: 'red.7' },
            { name: 'stopped', label: t('charts.stopped'), color: 'orange.6' },
          ]}
        />
      </Stack>
      <Stack gap="xs">
        <Text fw={500}>{t('charts.durations')}</Text>
        <LineChart
          h={240}
          data={data}
          dataKey="label"
          withLegend
          connectNulls
          lineChartProps={WITHOUT_KEYBOARD_LAYER}
          valueFormatter={(value) => formats.duration(value)}
          yAxisProps={{ width: 76, ticks, domain: [0, ticks.at(-1) ?? 0] }}
          series={[
            { name: 'p50Ms', label: t('charts.p50'), color: 'blue.6' },
            { name: 'p95Ms', label: t('charts.p95'), color: 'grape.6' },
          ]}
        />
      </Stack>
    </SimpleGrid>
  );
}
