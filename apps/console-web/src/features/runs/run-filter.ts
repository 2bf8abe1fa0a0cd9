import type { RunStatus, RunTrigger } from './run-status';

/** The filter of the list of runs, kept in the address of the page. Days are those of this machine, such as `2026-11-22`. */
export interface RunFilter {
  process?: string;
  status?: RunStatus;
  origin?: RunTrigger;
  from?: string;
  to?: string;
}

const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;

/** Reads a search parameter that holds a day; a text that is no existing day counts as absent. */
export function existingDay(value: unknown): string | undefined {
  return typeof value === 'string' && startOf(value) !== undefined ? value : undefined;
}

/** The query of `GET /runs`; the day `to` is part of the period. */
export function toQuery({ process, status, origin, from, to }: RunFilter) {
  return {
    process,
    status,
    trigger: origin,
    from: from === undefined ? undefined : startOf(from)?.toISOString(),
    to: to === undefined ? undefined : startOf(to, 1)?.toISOString(),
  };
}

export function isFiltered(filter: RunFilter): boolean {
  return Object.values(filter).some((value) => value !== undefined);
}

/** The day of a time as the filter writes it. */
export function dayOf(time: Date): string {
  const part = (value: number) => String(value).padStart(2, '0');
  return `${time.getFullYear()}-${part(time.getMonth() + 1)}-${part(time.getDate())}`;
}

function startOf(text: string, daysLater = 0): Date | undefined {
  const [, year, month, date] = DAY.exec(text) ?? [];
  if (year === undefined) return undefined;
  const start = new Date(Number(year), Number(month) - 1, Number(date));
  if (start.getMonth() !== Number(month) - 1 || start.getDate() !== Number(date)) return undefined;
  start.setDate(start.getDate() + daysLater);
  return start;
}
