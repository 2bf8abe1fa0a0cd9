import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ScheduleAnswer } from '../../api/generated/console-api';
import { UnreadablePage } from '../../common/missing-page';
import { PageHeader } from '../../common/page-header';
import { PendingRead } from '../../common/pending-read';
import { Calendar } from './calendar';
import { DayFirings } from './day-firings';
import { CronCode, EitherDayNote } from './cron-text';
import { calendarQuery, cronWordsQuery, scheduleQuery } from './queries';
import { ActiveSwitch, RemoveScheduleDialog, ScheduleFormDialog } from './schedule-actions';
import { zoneMonth } from './zone-times';

const MONTH = /^20\d\d-(0[1-9]|1[0-2])$/;

/** A schedule with the calendar of its firings and the result of each nominal time of a day. */
export function SchedulePage() {
  const { t } = useTranslation('schedules');
  const { id } = useParams({ from: '/schedules/$id' });
  const query = useQuery(scheduleQuery(id));
  if (query.data) return <ScheduleDetails schedule={query.data} />;
  if (query.error)
    return (
      <UnreadablePage title={t('title')} list="/schedules" error={query.error} reset={() => void query.refetch()} />
    );
  return <PendingRead failure={query.failureReason} height={60} />;
}

function ScheduleDetails({ schedule }: { schedule: ScheduleAnswer }) {
  const { t } = useTranslation('schedules');
  const navigate = useNavigate({ from: '/schedules/$id' });
  const search = useSearch({ from: '/schedules/$id' });
  const [dialog, setDialog] = useState<'edit' | 'remove'>();
  const { id, name } = schedule;
  const close = () => setDialog(undefined);
  const month = search.month !== undefined && MONTH.test(search.month) ? search.month : zoneMonth(new Date());
  const { data: days } = useQuery(calendarQuery(id, month));
  const chosen = days?.find(({ day }) => day === search.day);
  const actions = (
    <Group gap="sm">
      <ActiveSwitch schedule={schedule} label={t('active')} />
      <Button variant="default" onClick={() => setDialog('edit')}>
        {t('form.change')}
      </Button>
      <Button variant="outline" color="red" onClick={() => setDialog('remove')}>
        {t('remove.open')}
      </Button>
    </Group>
  );
  return (
    <Stack>
      <PageHeader title={name} description={<ScheduleDescription schedule={schedule} />} actions={actions} />
      {schedule.unavailable && (
        <Alert color="orange" role="status">
          {t('schedule.unavailable')}
        </Alert>
      )}
      {!schedule.active && (
        <Alert color="gray" role="status">
          {t('schedule.off')}
        </Alert>
      )}
      <Calendar
        id={id}
        month={month}
        day={search.day}
        onMonth={(next) => void navigate({ search: { month: next }, replace: true, resetScroll: false })}
        onDay={(day) => void navigate({ search: { month, day }, replace: true, resetScroll: false })}
      />
      {chosen && <DayFirings key={chosen.day} id={id} of={chosen} />}
      {dialog === 'edit' && <ScheduleFormDialog schedule={schedule} onClose={close} />}
      {dialog === 'remove' && (
        <RemoveScheduleDialog schedule={schedule} onClose={close} onRemoved={() => navigate({ to: '/schedules' })} />
      )}
    </Stack>
  );
}

function ScheduleDescription({ schedule: { cronExpression, processID, processName } }: { schedule: ScheduleAnswer }) {
  const { t, i18n } = useTranslation('schedules');
  const { data: words } = useQuery(cronWordsQuery(cronExpression, i18n.language));
  return (
    <>
      <Anchor
        underline="always"
        renderRoot={(props) => <Link to="/processes/$pid" params={{ pid: processID }} {...props} />}
      >
        {processName}
      </Anchor>
      {' · '}
      {words} <CronCode cronExpression={cronExpression} />
      <EitherDayNote cronExpression={cronExpression} />
      <Text component="span" display="block">
        {t('schedule.zone')}
      </Text>
    </>
  );
}
