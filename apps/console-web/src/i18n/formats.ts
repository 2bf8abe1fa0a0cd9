import { useTranslation } from 'react-i18next';
import { dateTimeFormat, numberFormat } from './intl';

/** Formats numbers and times for the user's language, in the zone of this machine. */
export function useFormats() {
  const { language } = useTranslation().i18n;
  return formatsIn(language);
}

export function formatsIn(language: string) {
  const time = (at: string | number, options: Intl.DateTimeFormatOptions) =>
    dateTimeFormat(language, options).format(new Date(at));
  return {
    number: (value: number) => numberFormat(language).format(value),
    /** Formats an ISO text, or milliseconds since 1970. */
    dateTime: (at: string | number) => time(at, { dateStyle: 'short', timeStyle: 'medium' }),
    /** Formats a day such as `2026-11-22`. */
    day: (day: string) => time(day, { dateStyle: 'short', timeZone: 'UTC' }),
    fullDateTime: (at: string | number) => time(at, { dateStyle: 'full', timeStyle: 'long' }),
    /** Formats a duration, rounded to seconds from 1 s on, in its two largest units that are not 0, such as `1 h 2 min`. */
    duration: (milliseconds: number) => durationIn(language, milliseconds),
  };
}

function durationIn(language: string, milliseconds: number): string {
  if (milliseconds < 1_000) return unit(language, 'millisecond', Math.round(milliseconds));
  const seconds = Math.round(milliseconds / 1_000);
  const parts: [string, number][] = [
    ['hour', Math.floor(seconds / 3_600)],
    ['minute', Math.floor((seconds % 3_600) / 60)],
    ['second', seconds % 60],
  ];
  return parts
    .filter(([name, count]) => count > 0 || (name === 'second' && seconds === 0))
    .slice(0, 2)
    .map(([name, count]) => unit(language, name, count))
    .join(' ');
}

function unit(language: string, name: string, count: number): string {
  return numberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(count);
}
