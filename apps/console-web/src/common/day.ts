// All days are those of São Paulo, as in the statistics, the credits and the schedules.

/** A day as filters and date fields write it, such as `2026-11-22`. */
const DAY = /^(\d{4})-(\d{2})-(\d{2})$/;
const HOUR_MS = 3_600_000;
/** Milliseconds from midnight UTC to midnight in São Paulo, where days begin: 03:00 UTC in all seasons. */
export const DAY_START_MS = 3 * HOUR_MS;
/**
 * The earliest year that a filter accepts. An earlier year is still being typed: a date field reports `0002` after the
 * first digit of `2026`.
 */
const MIN_YEAR = 2000;

/** Reads a search parameter that holds a day; a text that is no existing day, or is before MIN_YEAR, counts as absent. */
export function existingDay(value: unknown): string | undefined {
  return typeof value === 'string' && startOfDay(value) !== undefined ? value : undefined;
}

/** The first moment of a day, or of the day `daysLater` days after it; undefined as for `existingDay`. */
function startOfDay(text: string | undefined, daysLater = 0): Date | undefined {
  const [, year, month, date] = DAY.exec(text ?? '')?.map(Number) ?? [];
  if (year === undefined || month === undefined || date === undefined || year < MIN_YEAR) return undefined;
  const start = (day: number) => new Date(Date.UTC(year, month - 1, day) + DAY_START_MS);
  return dayOf(start(date)) === text ? start(date + daysLater) : undefined;
}

/** The query parameters of a period of whole days, both included: the API takes the first moment of the period and the first one after it. */
export function periodOf({ from, to }: { from?: string; to?: string }) {
  return { from: startOfDay(from)?.toISOString(), to: startOfDay(to, 1)?.toISOString() };
}

/** The day of a time in São Paulo. */
export function dayOf(time: Date): string {
  return new Date(time.getTime() - DAY_START_MS).toISOString().slice(0, 10);
}

/** Whether a time is the first moment of a day in São Paulo. */
export function beginsDay(time: Date): boolean {
  return startOfDay(dayOf(time))?.getTime() === time.getTime();
}

/**
 * Whether days of this machine begin at another time than those of São Paulo, in January or in July, so that the page says whose days it means.
 * `offsetOf` = minutes by which the machine is behind UTC at a time.
 */
export function machineDaysDiffer(year: number, offsetOf = (time: Date) => time.getTimezoneOffset()): boolean {
  const [january, july] = [Date.UTC(year, 0), Date.UTC(year, 6)];
  return [january, july].some((time) => offsetOf(new Date(time)) * 60_000 !== DAY_START_MS);
}
