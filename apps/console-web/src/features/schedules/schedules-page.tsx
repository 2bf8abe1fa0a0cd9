import { Anchor, Button, NativeSelect } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ScheduleAnswer } from '../../api/generated/console-api';
import { useChoiceError } from '../../common/choice-error';
import { DataTable, type Column } from '../../common/data-table';
import { EmptyState } from '../../common/empty-state';
import { NoMatches } from '../../common/no-matches';
import { PageHeader } from '../../common/page-header';
import { hasPermission } from '../processes/process-access';
import { processChoicesQuery } from '../processes/queries';
import { CronText } from './cron-text';
import { schedulesQuery } from './queries';
import { ActiveSwitch, RemoveScheduleDialog, ScheduleFormDialog } from './schedule-actions';

export function SchedulesPage() {
  const { t } = useTranslation('schedules');
  const { process } = useSearch({ from: '/schedules' });
  const navigate = useNavigate({ from: '/schedules' });
  const [isAdding, adding] = useDisclosure(false);
  const [removing, setRemoving] = useState<ScheduleAnswer>();
  const query = useInfiniteQuery(schedulesQuery(process));
  const processes = useQuery(processChoicesQuery);
  const chosen = processes.data?.find(({ processID }) => processID === process);
  const choose = (value: string | undefined) => void navigate({ search: { process: value }, replace: true });
  const hasNoProcess = processes.data?.every((one) => !hasPermission(one, 'schedule'));
  const add = (
    <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={adding.open}>
      {t('form.open')}
    </Button>
  );
  return (
    <>
      <PageHeader title={t('title')} description={t('what')} actions={hasNoProcess ? undefined : add} />
      <NativeSelect
        label={t('columns.process')}
        mb="md"
        maw={360}
        error={useChoiceError(processes)}
        value={process ?? ''}
        onChange={({ currentTarget }) => choose(currentTarget.value || undefined)}
        data={[
          { value: '', label: t('anyProcess') },
          ...(processes.data ?? []).map(({ processID, processName }) => ({ value: processID, label: processName })),
        ]}
      />
      <DataTable
        label={t('title')}
        query={query}
        rows={query.data?.pages.flatMap(({ schedules }) => schedules) ?? []}
        rowKey={({ id }) => id}
        columns={useColumns(setRemoving)}
        empty={
          hasNoProcess ? (
            <NoProcess />
          ) : process === undefined ? (
            <EmptyState title={t('empty.title')} text={t('empty.text')} />
          ) : (
            <NoMatches
              title={t('noneFound')}
              text={t('empty.text')}
              filters={[[t('columns.process'), chosen?.processName ?? process]]}
              onClear={() => choose(undefined)}
            />
          )
        }
      />
      {isAdding && <ScheduleFormDialog process={process} onClose={adding.close} />}
      {removing && <RemoveScheduleDialog schedule={removing} onClose={() => setRemoving(undefined)} />}
    </>
  );
}

/** Shown to somebody for whom the form of a schedule would have no process to choose. */
function NoProcess() {
  const { t } = useTranslation('schedules');
  return (
    <EmptyState
      title={t('noProcess.title')}
      text={t('noProcess.text')}
      action={
        <Anchor underline="always" renderRoot={(props) => <Link to="/processes" {...props} />}>
          {t('noProcess.open')}
        </Anchor>
      }
    />
  );
}

function useColumns(remove: (schedule: ScheduleAnswer) => void): Column<ScheduleAnswer>[] {
  const { t } = useTranslation('schedules');
  return [
    {
      key: 'name',
      title: t('columns.name'),
      render: ({ id, name }) => (
        <Anchor fw={500} renderRoot={(props) => <Link to="/schedules/$id" params={{ id }} {...props} />}>
          {name}
        </Anchor>
      ),
    },
    { key: 'process', title: t('columns.process'), render: ({ processName }) => <span>{processName}</span> },
    {
      key: 'cron',
      title: t('columns.cron'),
      render: ({ cronExpression }) => <CronText cronExpression={cronExpression} />,
    },
    { key: 'state', title: t('columns.state'), render: (schedule) => <ActiveSwitch schedule={schedule} /> },
    {
      key: 'remove',
      title: t('columns.action'),
      render: (schedule) => (
        <Button
          size="xs"
          variant="default"
          aria-label={`${t('remove.open')}: ${schedule.name}`}
          onClick={() => remove(schedule)}
        >
          {t('remove.open')}
        </Button>
      ),
    },
  ];
}
