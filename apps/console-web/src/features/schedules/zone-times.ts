import { dateTimeFormat } from '../../i18n/intl';

/** The time zone of every cron expression. */
export const SCHEDULE_ZONE = 'America/Sao_Paulo';

/**
 * A time in words, such as `sexta-feira, 20 de novembro de 2026 às 08:00`; without `timeZone` in the zone of this
 * machine.
 */
export function timeInWords(language: string, at: string, timeZone?: string): string {
  return dateTimeFormat(language, { dateStyle: 'full', timeStyle: 'short', timeZone }).format(new Date(at));
}

/** A time in so few words that it fits one line of a phone, such as `sex., 20 de nov. de 2026, 08:00`. */
export function shortTime(language: string, at: string, timeZone?: string): string {
  const day = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  return dateTimeFormat(language, { ...day, hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(at));
}

/** Hour and minute in the zone of schedules. */
export function zoneClock(language: string, at: string): string {
  return dateTimeFormat(language, { timeStyle: 'short', timeZone: SCHEDULE_ZONE }).format(new Date(at));
}

/** The day, such as `2026-11-30`, of a time in the zone of schedules. */
export function zoneDay(at: Date): string {
  return dateTimeFormat('en-CA', { dateStyle: 'short', timeZone: SCHEDULE_ZONE }).format(at);
}

/** The month, such as `2026-11`, of a time in the zone of schedules. */
export function zoneMonth(at: Date): string {
  return zoneDay(at).slice(0, 7);
}

/** The month that is `by` months after a month such as `2026-11`; before it for a negative number. */
export function monthLater(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** A day such as `2026-11-30` or a month such as `2026-11` in words. */
export function dayInWords(language: string, day: string, options: Intl.DateTimeFormatOptions): string {
  return dateTimeFormat(language, { ...options, timeZone: 'UTC' }).format(new Date(day));
}

/** The days of a month, in their order, in weeks from Sunday to Saturday; undefined stands for a day outside of the month. */
export function weeksOf<Day extends { day: string }>(days: readonly Day[]): (Day | undefined)[][] {
  const [first] = days;
  if (!first) return [];
  const cells = [...Array.from({ length: new Date(first.day).getUTCDay() }, () => undefined), ...days];
  const weeks = Array.from({ length: Math.ceil(cells.length / 7) }, (_, week) => cells.slice(week * 7, week * 7 + 7));
  return weeks.map((week) => [...week, ...Array.from({ length: 7 - week.length }, () => undefined)]);
}
