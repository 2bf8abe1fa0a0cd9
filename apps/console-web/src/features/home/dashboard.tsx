import { Anchor, Group, Paper, SimpleGrid, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { EnvironmentOverview, HomeAnswer, RunCount } from '../../api/generated/console-api';
import { dayOf } from '../../common/day';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { ErrorMessage } from '../../common/error-message';
import { StatusBadge } from '../../common/status-badge';
import { useZoneNote } from '../../common/zone-note';
import { useFormats } from '../../i18n/formats';
import { onlineLook } from '../environments/online-look';
import { useRunColumns } from '../runs/run-columns';
import type { RunSearch } from '../runs/run-filter';
import { TRIGGERS } from '../runs/run-status';
import { homeQuery } from './queries';
import { StatisticsPanel } from './statistics';
import { countsOfToday } from './today-counts';

const CARD = { withBorder: true, p: 'sm' } as const;
/** The statistics do not count debug runs. */
const COUNTED_TRIGGERS = TRIGGERS.filter((trigger) => trigger !== 'debug').join(',');

/**
 * The statuses, separated by commas, by which the list of runs shows the runs of a number; `running` also counts runs that are offered to
 * an agent (`unknown`).
 */
const STATUSES_OF_NUMBER = { running: 'running,unknown', queued: 'queued' };

/** The filter of the list of runs that shows the runs of today that have one of the statuses. */
const runsOfTodayFilter = ({ today }: HomeAnswer, status: string): RunSearch => ({
  status,
  origin: COUNTED_TRIGGERS,
  from: dayOf(new Date(today.since)),
});

/** The home page of an account that has had a run: what runs now, what happened today, the environments, and statistics. */
export function Dashboard() {
  const { t } = useTranslation('home');
  const query = useQuery(homeQuery);
  const runColumns = useRunColumns();
  const environmentColumns = useEnvironmentColumns();
  const { data } = query;
  return (
    <Stack gap="xl">
      {data ? <KeyNumbers home={data} /> : <Skeleton height={90} />}
      {data && query.error && <ErrorMessage error={query.error} />}
      <Section
        title={t('active.title')}
        link={<Anchor renderRoot={(props) => <Link to="/runs" {...props} />}>{t('allRuns')}</Anchor>}
      >
        <DataTable
          label={t('active.title')}
          query={{ ...query, error: data ? null : query.error }}
          rows={data?.active ?? []}
          rowKey={({ instanceID }) => instanceID}
          columns={runColumns}
          empty={<EmptyState title={t('active.none')} text={t('active.noneText')} />}
        />
      </Section>
      {data && (
        <>
          <Section
            title={t('failed.title')}
            link={
              <Anchor renderRoot={(props) => <Link to="/runs" search={runsOfTodayFilter(data, 'error')} {...props} />}>
                {t('failed.all')}
              </Anchor>
            }
          >
            <DataTable
              label={t('failed.title')}
              query={{ ...query, error: null }}
              rows={data.failed}
              rowKey={({ instanceID }) => instanceID}
              columns={runColumns}
              empty={<NoneFailed home={data} />}
            />
          </Section>
          <Section title={t('environments.title')}>
            {data.environments.length > 0 && (
              <Text size="sm" c="dimmed">
                {t('environments.counted')}
              </Text>
            )}
            <DataTable
              label={t('environments.title')}
              query={{ ...query, error: null }}
              rows={data.environments}
              rowKey={({ environmentID }) => environmentID}
              columns={environmentColumns}
              empty={
                <EmptyState
                  title={t('environments.none')}
                  action={
                    <Anchor renderRoot={(props) => <Link to="/environments" {...props} />}>
                      {t('environments.add')}
                    </Anchor>
                  }
                />
              }
            />
          </Section>
        </>
      )}
      <StatisticsPanel />
    </Stack>
  );
}

function KeyNumbers({ home }: { home: HomeAnswer }) {
  const { credits } = home;
  const { t } = useTranslation('home');
  const { number } = useFormats();
  const { note, describedBy } = useZoneNote();
  const { good, failed } = countsOfToday(home.today);
  const [running, queued] = [activeCount(home, 'running'), activeCount(home, 'queued')];
  const countText = ({ count, more }: RunCount) => number(count) + (more ? '+' : '');
  return (
    <Stack gap="xs">
      <SimpleGrid cols={{ base: 2, md: 5 }} spacing="sm">
        <KeyNumber
          name={t('figures.running')}
          value={countText(running)}
          runs={{ status: STATUSES_OF_NUMBER.running }}
        />
        <KeyNumber name={t('figures.queued')} value={countText(queued)} runs={{ status: STATUSES_OF_NUMBER.queued }} />
        <KeyNumber
          name={t('figures.good')}
          value={countText(good)}
          runs={runsOfTodayFilter(home, 'success,terminated')}
          describedBy={describedBy}
        />
        <KeyNumber
          name={t('figures.failed')}
          value={countText(failed)}
          runs={runsOfTodayFilter(home, 'error')}
          describedBy={describedBy}
        />
        <KeyNumber
          name={t('figures.credits')}
          value={number(credits.balance)}
          note={t('figures.monthly', { count: credits.monthly, monthly: number(credits.monthly) })}
        />
      </SimpleGrid>
      {note}
    </Stack>
  );
}

/** Takes the place of the empty list of failed runs, which holds only those among the newest runs: older runs of today may have failed. */
function NoneFailed({ home }: { home: HomeAnswer }) {
  const { t } = useTranslation('home');
  const { count, more } = countsOfToday(home.today).failed;
  if (count === 0 && !more) return <EmptyState title={t('failed.none')} />;
  return <EmptyState title={t('failed.noneOfNewest')} text={t('failed.olderText')} />;
}

/**
 * The number of runs that run or are queued. A console of the previous release, which may answer during an update, sends only the numbers
 * of each environment.
 */
function activeCount({ activeCounts, environments }: HomeAnswer, of: 'queued' | 'running'): RunCount {
  return activeCounts?.[of] ?? { count: environments.reduce((sum, load) => sum + load[of], 0), more: false };
}

interface KeyNumberProps {
  name: string;
  value: string;
  note?: string;
  /** The filter of the list that shows these runs; without it the number is no link. */
  runs?: RunSearch;
  /** The id of a text about the runs. */
  describedBy?: string;
}

function KeyNumber({ name, value, note, runs, describedBy }: KeyNumberProps) {
  const texts = (
    <>
      <Text size="sm" c="dimmed" td={runs && 'underline'}>
        {name}
      </Text>
      <Text size="xl" fw={700}>
        {value}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </>
  );
  if (!runs) return <Paper {...CARD}>{texts}</Paper>;
  return (
    <Paper
      {...CARD}
      td="none"
      c="inherit"
      aria-describedby={describedBy}
      renderRoot={(props) => <Link to="/runs" search={runs} {...props} />}
    >
      {texts}
    </Paper>
  );
}

function Section({ title, link, children }: { title: string; link?: ReactNode; children: ReactNode }) {
  return (
    <Stack component="section" gap="sm" aria-label={title}>
      <Group justify="space-between">
        <Title order={2} size="h3">
          {title}
        </Title>
        {link}
      </Group>
      {children}
    </Stack>
  );
}

function useEnvironmentColumns(): Column<EnvironmentOverview>[] {
  const { t } = useTranslation('home');
  return [
    {
      key: 'name',
      title: t('environments.name'),
      render: ({ environmentID, name }) => (
        <Anchor
          fw={500}
          renderRoot={(props) => <Link to="/environments/$id" params={{ id: environmentID }} {...props} />}
        >
          {name}
        </Anchor>
      ),
    },
    {
      key: 'agents',
      title: t('environments.agents'),
      render: ({ agents }) => (
        <StatusBadge look={onlineLook(agents > 0)}>{t('environments.online', { count: agents })}</StatusBadge>
      ),
    },
    {
      key: 'running',
      title: t('figures.running'),
      render: (environment) => <RunsLink of="running" {...environment} />,
    },
    { key: 'queued', title: t('figures.queued'), render: (environment) => <RunsLink of="queued" {...environment} /> },
  ];
}

/** A number of runs of an environment, as a link to the list of these runs. */
function RunsLink({ of, name, ...environment }: EnvironmentOverview & { of: keyof typeof STATUSES_OF_NUMBER }) {
  const { t } = useTranslation('home');
  const { number } = useFormats();
  const count = number(environment[of]);
  return (
    <Anchor
      aria-label={`${t(`figures.${of}`)}: ${count}, ${name}`}
      renderRoot={(props) => (
        <Link
          to="/runs"
          search={{ environment: environment.environmentID, status: STATUSES_OF_NUMBER[of] }}
          {...props}
        />
      )}
    >
      {count}
    </Anchor>
  );
}
