import './calendar.css';
import { Button, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';
import type { CalendarDayAnswer } from '../../api/generated/console-api';
import { ErrorMessage } from '../../common/error-message';
import { useNarrowScreen } from '../../common/narrow-screen';
import { PendingRead } from '../../common/pending-read';
import { StatusBadge } from '../../common/status-badge';
import { hasTimes, FIRING_LOOKS, firingResultsOf } from './firing-looks';
import { calendarQuery } from './queries';
import { dayInWords, monthLater, weeksOf, zoneDay } from './zone-times';

/** The 4th of January 2026 is a Sunday; from it and the six days after it come the names of the columns. */
const SUNDAY_OF_JANUARY_2026 = 4;
/** By key, the number of days by which the focus moves in a month. */
const DAYS_OF_ARROW_KEY: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };

interface CalendarProps {
  /** The id of the schedule. */
  id: string;
  /** Such as `2026-11`. */
  month: string;
  /** The chosen day, such as `2026-11-30`, whose times the page shows below the calendar. */
  day: string | undefined;
  onMonth: (month: string) => void;
  onDay: (day: string) => void;
}

/** A month with the results of the firings of each day, and the number of nominal times to come. */
export function Calendar({ id, month, day, onMonth, onDay }: CalendarProps) {
  const { t, i18n } = useTranslation('schedules');
  const query = useQuery(calendarQuery(id, month));
  const title = dayInWords(i18n.language, month, { month: 'long', year: 'numeric' });
  const days = query.data;
  const View = useNarrowScreen() ? DayList : MonthGrid;
  return (
    <Stack component="section" gap="sm" aria-label={t('calendar.title')}>
      <Group gap="xs">
        <Button variant="default" size="xs" onClick={() => onMonth(monthLater(month, -1))}>
          {t('calendar.earlier')}
        </Button>
        <Text fw={500} aria-live="polite">
          {title}
        </Text>
        <Button variant="default" size="xs" onClick={() => onMonth(monthLater(month, 1))}>
          {t('calendar.later')}
        </Button>
      </Group>
      {query.error && <ErrorMessage error={query.error} />}
      {query.isPending && <PendingRead failure={query.failureReason} height={320} />}
      {days && <View title={title} days={days} day={day} onDay={onDay} />}
    </Stack>
  );
}

interface DaysProps {
  title: string;
  days: CalendarDayAnswer[];
  day: string | undefined;
  onDay: (day: string) => void;
}

function MonthGrid({ title, days, day, onDay }: DaysProps) {
  const { i18n } = useTranslation();
  const weekday = (index: number, style: 'short' | 'long') =>
    dayInWords(i18n.language, `2026-01-${String(SUNDAY_OF_JANUARY_2026 + index).padStart(2, '0')}`, { weekday: style });
  // The Tab key focuses one day; the arrow keys move to the others.
  const focusableDay = days.some((one) => one.day === day) ? day : days[0]?.day;
  return (
    <table className="calendar" aria-label={title} onKeyDown={moveFocus}>
      <thead>
        <tr>
          {Array.from({ length: 7 }, (_, index) => (
            <th key={index} scope="col">
              <abbr title={weekday(index, 'long')}>{weekday(index, 'short')}</abbr>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(days).map((week, index) => (
          <tr key={index}>
            {week.map((one, column) => (
              <td key={column}>
                {one && (
                  <Day of={one} isChosen={one.day === day} isFocusable={one.day === focusableDay} onDay={onDay} />
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function moveFocus(event: KeyboardEvent<HTMLTableElement>): void {
  const days = DAYS_OF_ARROW_KEY[event.key];
  if (days === undefined) return;
  const buttons = [...event.currentTarget.querySelectorAll<HTMLElement>('button[data-day]')];
  const next = buttons[buttons.findIndex((button) => button === document.activeElement) + days];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

function DayList({ title, days, day, onDay }: DaysProps) {
  const { t } = useTranslation('schedules');
  const shown = days.filter(hasTimes);
  if (shown.length === 0) return <Text size="sm">{t('calendar.none')}</Text>;
  return (
    <ul className="calendar-days" aria-label={title}>
      {shown.map((one) => (
        <li key={one.day}>
          <Day of={one} isChosen={one.day === day} isFocusable isLong onDay={onDay} />
        </li>
      ))}
    </ul>
  );
}

interface DayProps {
  of: CalendarDayAnswer;
  isChosen: boolean;
  /** True when the Tab key reaches the day. */
  isFocusable: boolean;
  /** True to show the date in words instead of the number of the day. */
  isLong?: boolean;
  onDay: (day: string) => void;
}

function Day({ of, isChosen, isFocusable, isLong = false, onDay }: DayProps) {
  const { t, i18n } = useTranslation('schedules');
  const long = dayInWords(i18n.language, of.day, { weekday: 'long', day: 'numeric', month: 'long' });
  const count = of.moreUpcoming ? `${of.upcoming.length}+` : String(of.upcoming.length);
  return (
    <UnstyledButton
      className="calendar-day"
      data-day={of.day}
      aria-pressed={isChosen}
      aria-current={of.day === zoneDay(new Date()) ? 'date' : undefined}
      tabIndex={isFocusable ? 0 : -1}
      onClick={() => onDay(of.day)}
    >
      <span aria-hidden>{isLong ? long : Number(of.day.slice(8))}</span>
      <span className="calendar-spoken">{long}</span>
      {firingResultsOf(of).map(({ result, count: times }) => (
        <StatusBadge key={result} look={FIRING_LOOKS[result]}>
          {t(`calendar.results.${result}`, { count: times })}
        </StatusBadge>
      ))}
      {of.upcoming.length > 0 && (
        <StatusBadge look="waiting">{t('calendar.results.upcoming', { number: count })}</StatusBadge>
      )}
    </UnstyledButton>
  );
}
